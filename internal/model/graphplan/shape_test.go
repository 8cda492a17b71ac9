package graphplan

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestShape pins the fields of each version of the document. During an upgrade a step meets the plan of another release: a
// field that came without a new version would be absent there, and its absence taken for a decision.
func TestShape(t *testing.T) {
	path := filepath.Join("testdata", fmt.Sprintf("version-%d.txt", Version))
	var lines []string
	describe(reflect.TypeFor[Plan](), "", &lines)
	slices.Sort(lines)
	got := strings.Join(lines, "\n") + "\n"
	if os.Getenv("CONFIGURATION_DYNAMO_PLAN_VERSION") == strconv.Itoa(Version) {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("CONFIGURATION_DYNAMO_PLAN_VERSION=%d writes it: %v", Version, err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: -want, +got: raise Version if a release has version %d; CONFIGURATION_DYNAMO_PLAN_VERSION=<version> writes the file\n%s", path, Version, diff)
	}
}

// describe the fields of a type as JSON has them, a line each.
func describe(of reflect.Type, path string, lines *[]string) {
	if reflect.PointerTo(of).Implements(reflect.TypeFor[json.Marshaler]()) {
		*lines = append(*lines, strings.TrimPrefix(path, ".")+" "+of.Name())
		return
	}
	switch of.Kind() {
	case reflect.Pointer:
		describe(of.Elem(), path, lines)
	case reflect.Slice, reflect.Array:
		describe(of.Elem(), path+"[]", lines)
	case reflect.Map:
		describe(of.Elem(), path+".*", lines)
	case reflect.Struct:
		for field := range of.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name == "" {
				describe(field.Type, path, lines)
				continue
			}
			describe(field.Type, path+"."+name, lines)
		}
	default:
		*lines = append(*lines, strings.TrimPrefix(path, ".")+" "+of.Kind().String())
	}
}
