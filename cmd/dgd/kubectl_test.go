package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
)

// cluster is a folder with objects, and a kubectl that reads them.
type cluster struct {
	folder string
	// turns are the states of the cluster after the first, each of which begins when a graph is read.
	turns int
}

// kubectl of a cluster in a folder. It ignores namespaces and selectors. Everybody may do everything but what a review asks for that matches a
// pattern.
const kubectl = `#!/bin/sh
echo "$*" >>%[1]q/log
if [ -f %[1]q/failure ]; then cat %[1]q/failure >&2; exit 1; fi
case "$*" in
*unreachable*) echo 'The connection to the server localhost:8080 was refused' >&2; exit 1 ;;
*'config view'*) echo from-context; exit ;;
*' logs '* | 'logs '*) echo 'RuntimeError: out of luck'; exit ;;
*'version '*) echo '{"serverVersion": {"gitVersion": "v1.34.1"}}'; exit ;;
*'create '*)
  sed 's/{"kind":"S/\n&/g' | sed -n '/^{"kind":"S/{ /%[2]s/s/.*/{"status": {"allowed": false}}/; s/^{"kind.*/{"status": {"allowed": true}}/; p }'
  exit ;;
*--raw=/apis*)
  name=$(echo "${*##*--raw=/}" | tr / _)
  if [ -f "%[1]s/$name" ]; then cat "%[1]s/$name"; exit; fi
  echo 'Error from server (NotFound): the server could not find the requested resource' >&2; exit 1 ;;
esac
while [ "$1" != -- ]; do shift; done
kind=$2
shift 2
if [ -f "%[1]s/failure ${kind%%%%.*}" ]; then cat "%[1]s/failure ${kind%%%%.*}" >&2; exit 1; fi
turn=$(cat %[1]q/turn)
case $kind in
DynamoGraphDeployment.*) if [ -d "%[1]s/$((turn + 1))" ]; then turn=$((turn + 1)); echo $turn >%[1]q/turn; fi ;;
esac
separator=
print() {
  for file; do
    if [ -f "$file" ]; then printf '%%s' "$separator"; cat "$file"; separator=,; fi
  done
}
echo '{"apiVersion": "v1", "kind": "List", "items": ['
if [ $# -eq 0 ]; then print "%[1]s/$turn/$kind "*; fi
for name; do print "%[1]s/$turn/$kind $name "*; done
echo ']}'
`

// newCluster puts a kubectl on the path that reads a cluster without objects.
func newCluster(t *testing.T) *cluster {
	t.Helper()
	return refusingCluster(t, "nothing")
}

// refusingCluster is a new cluster in which reviews are refused that match a pattern.
func refusingCluster(t *testing.T, refused string) *cluster {
	t.Helper()
	c := &cluster{folder: t.TempDir()}
	c.write(t, "kubectl", fmt.Sprintf(kubectl, c.folder, refused))
	c.write(t, "turn", "0")
	t.Setenv("PATH", c.folder+":"+os.Getenv("PATH"))
	return c
}

// write a file that kubectl reads, or kubectl itself.
func (c *cluster) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(c.folder, name)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.folder, name), []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

// put objects into the cluster.
func (c *cluster) put(t *testing.T, objects ...*unstructured.Unstructured) {
	t.Helper()
	for _, o := range objects {
		c.write(t, c.file(o), steptest.JSON(t, o.Object))
	}
}

// file with an object.
func (c *cluster) file(o *unstructured.Unstructured) string {
	gvk := o.GroupVersionKind()
	return filepath.Join(strconv.Itoa(c.turns), fmt.Sprintf("%s.%s.%s %s %s", gvk.Kind, gvk.Version, gvk.Group, o.GetName(), o.GetNamespace()))
}

// next is what the cluster has from the next time on that a graph is read.
func (c *cluster) next(t *testing.T, objects ...*unstructured.Unstructured) {
	t.Helper()
	c.turns++
	c.put(t, objects...)
}

// serve the APIs of objects, and put these into the cluster.
func (c *cluster) serve(t *testing.T, objects []*unstructured.Unstructured) {
	t.Helper()
	kinds, groups := map[string][]any{}, []any{}
	for _, o := range objects {
		gvk := o.GroupVersionKind()
		if gvk.Version == "" {
			continue // No server has such an object.
		}
		c.put(t, o)
		version := "apis_" + strings.ReplaceAll(gvk.GroupVersion().String(), "/", "_")
		kinds[version] = append(kinds[version], map[string]any{"kind": gvk.Kind})
		groups = append(groups, map[string]any{"name": gvk.Group})
	}
	c.write(t, "apis", steptest.JSON(t, map[string]any{"groups": groups}))
	for version, resources := range kinds {
		c.write(t, version, steptest.JSON(t, map[string]any{"resources": resources}))
	}
}

// asked is what kubectl was asked.
func (c *cluster) asked(t *testing.T) []string {
	t.Helper()
	data := harness.File(t, filepath.Join(c.folder, "log"))
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	slices.Sort(lines)
	return lines
}
