package adopt

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// TestResourcesPage checks that docs/moving-in.md lists what a dump needs.
func TestResourcesPage(t *testing.T) {
	page := harness.File(t, filepath.Join("docs", "moving-in.md"))
	_, listed, _ := strings.Cut(string(page), "for resource in")
	listed, _, _ = strings.Cut(listed, "\ndo\n")
	want := strings.Join(resources(), " ")
	if got := strings.Join(strings.Fields(strings.ReplaceAll(listed, "\\", "")), " "); got != want {
		t.Errorf("want docs/moving-in.md to list %s, got %s", want, got)
	}
}

// TestInCluster reads a cluster that lacks most kinds.
func TestInCluster(t *testing.T) {
	cases := map[string]struct {
		reason string
		// claims is what kubectl says of the PersistentVolumeClaims.
		claims string
		want   []string
		err    string
	}{
		"Lists": {
			reason: "Objects are read in all namespaces, and claims with their managers. A kind that is not served has none.",
			claims: `{"kind": "List", "items": [{"kind": "PersistentVolumeClaim"}, {"kind": "PersistentVolumeClaim"}]}`,
			want:   []string{"PersistentVolumeClaim", "PersistentVolumeClaim"},
		},
		"Forbidden": {
			reason: "What may not be read is not taken for what is not there.",
			claims: `is forbidden: User "a" cannot list resource "persistentvolumeclaims" in API group "" at the cluster scope`,
			err:    "cannot read the cluster: you may not list persistentvolumeclaims in the whole cluster",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			run := func(args ...string) ([]byte, error) {
				switch command := strings.Join(args, " "); {
				case command != "get --show-managed-fields --output=json --ignore-not-found --all-namespaces -- persistentvolumeclaims":
					return nil, errors.New("the server doesn't have a resource type")
				case tc.err != "":
					return nil, errors.New(tc.claims)
				default:
					return []byte(tc.claims), nil
				}
			}
			objects, err := InCluster(&preview.Live{Run: run})
			var got []string
			for i := range objects {
				got = append(got, objects[i].GetKind())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || tc.err == "" != (err == nil) || err != nil && err.Error() != tc.err {
				t.Errorf("%s\nwant error %q, got %v; objects: -want, +got:\n%s", tc.reason, tc.err, err, diff)
			}
		})
	}
}
