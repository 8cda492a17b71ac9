package packages

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// A bill of materials, CycloneDX: https://cyclonedx.org/docs/1.6/json/
type bill struct {
	BOMFormat    string `json:"bomFormat"`
	SerialNumber string `json:"serialNumber"`
	Metadata     struct {
		Timestamp  string `json:"timestamp"`
		Properties []struct {
			Name  string `json:"name"`
			Value string `json:"value"`
		} `json:"properties"`
	} `json:"metadata"`
	Components []struct {
		Name    string `json:"name"`
		Version string `json:"version"`
		Hashes  []struct {
			Algorithm string `json:"alg"`
			Content   string `json:"content"`
		} `json:"hashes"`
	} `json:"components"`
}

// testBill compares a bill of materials with its binary.
func testBill(t *testing.T, path string, binary []byte) {
	t.Helper()
	var got bill
	if err := json.Unmarshal(harness.File(t, path), &got); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		t.Fatalf("cannot tell what the binary is made of: %v", err)
	}

	want, components := map[string]string{"std": info.GoVersion}, map[string]string{}
	for _, module := range info.Deps {
		if module.Replace != nil {
			t.Errorf("%s is replaced by %s", module.Path, module.Replace.Path)
		}
		want[module.Path] = module.Version
	}
	for _, component := range got.Components {
		components[component.Name] = component.Version
		if component.Name != "std" && len(component.Hashes) == 0 {
			t.Errorf("%s has no checksum", component.Name)
		}
	}
	if diff := cmp.Diff(want, components); diff != "" {
		t.Errorf("components: -in the binary, +in the bill:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"CycloneDX", "", ""}, []string{got.BOMFormat, got.SerialNumber, got.Metadata.Timestamp}); diff != "" {
		t.Errorf("format, serial number and time: -want, +got:\n%s", diff)
	}
	sum := sha256.Sum256(binary)
	binarySum := ""
	for _, property := range got.Metadata.Properties {
		if property.Name == "cdx:gomod:binary:hash:SHA-256" {
			binarySum = property.Value
		}
	}
	if diff := cmp.Diff(hex.EncodeToString(sum[:]), binarySum); diff != "" {
		t.Errorf("SHA-256 of the binary: -want, +in the bill:\n%s", diff)
	}
}
