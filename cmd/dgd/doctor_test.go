package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// withCluster puts a kubectl on the path that reads a cluster with objects in a file. Everybody may do everything there but what a review asks
// for a verb and resource that are refused.
func withCluster(t *testing.T, file, refused string) *cluster {
	t.Helper()
	return withObjects(t, harness.Read(t, file), refused)
}

// withObjects puts a kubectl on the path as withCluster does.
func withObjects(t *testing.T, objects []*unstructured.Unstructured, refused string) *cluster {
	t.Helper()
	c := &cluster{folder: t.TempDir()}
	lists, kinds, groups := map[string][]any{}, map[string][]any{}, []any{}
	for _, o := range objects {
		gvk := o.GroupVersionKind()
		if gvk.Version == "" {
			continue // No server has such an object.
		}
		kind := fmt.Sprintf("%s.%s.%s", gvk.Kind, gvk.Version, gvk.Group)
		lists[kind] = append(lists[kind], o.Object)
		c.file(t, kind+" "+o.GetName(), o.Object)
		version := strings.ReplaceAll(gvk.GroupVersion().String(), "/", "_")
		kinds[version] = append(kinds[version], map[string]any{"kind": gvk.Kind})
		groups = append(groups, map[string]any{"name": gvk.Group})
	}
	c.file(t, "apis", map[string]any{"groups": groups})
	for version, resources := range kinds {
		c.file(t, version, map[string]any{"resources": resources})
	}
	for name, items := range lists {
		c.file(t, name, map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	}
	script := fmt.Sprintf(`#!/bin/sh
echo "$*" >>%[1]q/log
case "$*" in
*unreachable*) echo 'The connection to the server localhost:8080 was refused' >&2; exit 1 ;;
*'config view'*) echo team-a; exit ;;
*'version '*) echo '{"serverVersion": {"gitVersion": "v1.34.1"}}'; exit ;;
*'create '*)
  sed 's/{"kind":"S/\n&/g' | sed -n '/^{"kind":"S/{ /%[2]s/s/.*/{"status": {"allowed": false}}/; s/^{"kind.*/{"status": {"allowed": true}}/; p }'
  exit ;;
*--raw=/apis) cat %[1]q/apis; exit ;;
*--raw=/apis/*)
  name=$(echo "${*##*--raw=/apis/}" | tr / _)
  if [ -f "%[1]s/$name" ]; then cat "%[1]s/$name"; exit; fi
  echo 'Error from server (NotFound): the server could not find the requested resource' >&2; exit 1 ;;
esac
while [ "$1" != -- ]; do shift; done
kind=$2
shift 2
if [ $# -eq 0 ]; then
  if [ -f "%[1]s/$kind" ]; then cat "%[1]s/$kind"; fi
  exit
fi
separator=
echo '{"kind": "List", "items": ['
for name; do
  if [ -f "%[1]s/$kind $name" ]; then printf '%%s' "$separator"; cat "%[1]s/$kind $name"; separator=,; fi
done
echo ']}'
`, c.folder, refused)
	if err := os.WriteFile(filepath.Join(c.folder, "kubectl"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", c.folder+":"+os.Getenv("PATH"))
	return c
}

// file with JSON that kubectl prints.
func (c *cluster) file(t *testing.T, name string, content any) {
	t.Helper()
	data, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.folder, name), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestDoctor(t *testing.T) {
	const installed, without = "tool/doctor/testdata/cluster.yaml", "cmd/dgd/testdata/doctor/before.yaml"
	cases := map[string]struct {
		reason  string
		file    string
		refused string
		args    []string
		code    int
		// out and err are parts of what is printed.
		out, err string
	}{
		"Problem":     {reason: "A problem fails a script.", file: installed, code: exitRefused, out: "problem  dynamo-operator         The Dynamo operator runs"},
		"PodGrouper":  {reason: "The pod grouper of an older KAI may not read graphs.", file: installed, code: exitRefused, out: "problem  kai-pod-grouper         The pod grouper of KAI v0.13.4 may read DynamoGraphDeployments"},
		"Chart":       {reason: "With the role of its chart it may not.", file: installed, refused: "dynamographdeployments", code: exitRefused, out: "ok       kai-pod-grouper         KAI's pod grouper may not read graphs"},
		"Permissions": {reason: "Crossplane needs its permissions.", file: installed, refused: `"verb":"patch"`, code: exitRefused, out: "problem  crossplane-permissions  Crossplane may not patch "},
		"Before":      {reason: "Before the installation, what comes with it is not missed.", file: without, out: "skipped  configuration           It comes with install.yaml.\n"},
		"JSON":        {reason: "Other programs read JSON.", file: without, args: []string{"-o", "json"}, out: `"check": "crossplane",` + "\n      " + `"state": "ok"`},
		"Unreachable": {reason: "A cluster that cannot be reached is one clear error.", file: without, args: []string{"--context=unreachable"}, code: exitUsage, err: "version --output=json: The connection to the server localhost:8080 was refused"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			refused := tc.refused
			if refused == "" {
				refused = "nothing"
			}
			c := withCluster(t, tc.file, refused)
			got := ended(t, "", append([]string{"doctor"}, tc.args...)...)
			if got.code != tc.code || !strings.Contains(got.out, tc.out) || !strings.Contains(got.err, tc.err) || tc.err == "" && got.err != "" {
				t.Errorf("%s\nwant exit status %d, %q and %q, got %d, %q and %q", tc.reason, tc.code, tc.out, tc.err, got.code, got.out, got.err)
			}
			for _, line := range c.asked(t) {
				words := slices.DeleteFunc(strings.Fields(line), func(word string) bool { return strings.HasPrefix(word, "--context=") })
				reviews := "create --filename=- --validate=false --output=json"
				if !slices.Contains([]string{"get", "config", "version"}, words[0]) && strings.Join(words, " ") != reviews || strings.Contains(line, "Secret") {
					t.Errorf("kubectl was asked: %s", line)
				}
			}
		})
	}
}
