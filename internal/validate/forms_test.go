package validate_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/forms"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
)

// notInComponents are the bad cases that are no mistake once they are converted to v1beta1, by table and case, with the reason.
func notInComponents() map[string]string {
	const (
		left   = "The conversion leaves the value out, as upstream's does, with a warning. TestComponents has one that is written in v1beta1."
		merged = "What v1alpha1 has twice is converted to one entry. TestComponents has two that are written in v1beta1."
	)
	return map[string]string{
		"TestBadDevices/BareResource":                  "Real manifests have names without a domain in containers, which are not refused in v1alpha1 either.",
		"TestBadDevices/GPUTwice":                      "A container has one amount of each resource.",
		"TestBadEnums/BadShareMode":                    "Blocks of v1alpha1 that are not enabled are no blocks of v1beta1. TestComponents has one that is.",
		"TestBadEnums/NegativeShadows":                 "Blocks of v1alpha1 that are not enabled are no blocks of v1beta1.",
		"TestBadHandlers/ProbeOfServiceWithoutHandler": "A probe of the main container has the handler of the default probe.",
		"TestBadNames/ServiceNameField":                "The name of a component is the only one that it has.",
		"TestBadPods/ContainerCalledAsSidecar":         merged,
		"TestBadPods/ContainerCalledMain":              merged,
		"TestBadPods/SameEnvTwice":                     merged,
		"TestBadResources/MountOfUnknownVolume":        "A mount without a volume mounts the claim of that name.",
		"TestBadStrict/ListForServices":                "What is no map of services is not converted. TestComponents has components that are no list.",
		"TestBadStrict/StringForService":               left,
		"TestBadStrict/UnknownResource":                "The conversion leaves the value out, because v1alpha1 has no such field.",
	}
}

// inComponents runs the cases of a table on the conversion of their graphs to v1beta1. Messages name the fields that its user sees, and are
// compared with a golden file.
func inComponents(t *testing.T, cases map[string]badCase) {
	t.Helper()
	text := &strings.Builder{}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		tc := cases[name]
		xr, _ := conversion.ToV1beta1(merge(parse(t, valid), parse(t, tc.patch)))
		g, errs := graph.Decode(request(t, xr))
		errs = append(errs, validate.Spec(g, tc.with)...)
		reason, listed := notInComponents()[t.Name()+"/"+name]
		switch {
		case listed:
			if len(errs) > 0 && g.Form == graph.Components {
				t.Errorf("%s is listed as no mistake in v1beta1 (%s), but it is one: %v", name, reason, errs)
			}
			continue
		case (len(errs) == 0) != (len(tc.want) == 0):
			t.Errorf("%s\n%s: want the same as in v1alpha1, which is %q; got %v", tc.reason, name, tc.want, errs)
		}
		fmt.Fprintln(text, name)
		for _, err := range errs {
			fmt.Fprintln(text, "  "+err.In(g))
			if words := forms.OfServices(err.In(g)); len(words) > 0 {
				t.Errorf("%s: the message has %q, which a graph with components does not have: %s", name, words, err)
			}
		}
	}
	harness.Golden(t, filepath.Join("testdata", "components", t.Name()+".txt"), []byte(text.String()))
}

// TestListed holds that tables and cases that are listed, and tables with golden files, exist.
func TestListed(t *testing.T) {
	var source strings.Builder
	for _, path := range glob(t, "*_test.go") {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(data)
	}
	exists := func(what, text string) {
		if !strings.Contains(source.String(), text) {
			t.Errorf("%s does not exist any more; remove it", what)
		}
	}
	for listed := range notInComponents() {
		table, name, _ := strings.Cut(listed, "/")
		exists(listed, "func "+table+"(")
		exists(listed, `"`+name+`":`)
	}
	for _, path := range glob(t, filepath.Join("testdata", "components", "*.txt")) {
		exists(path, "func "+strings.TrimSuffix(filepath.Base(path), ".txt")+"(")
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files match %s: %v", pattern, err)
	}
	return paths
}
