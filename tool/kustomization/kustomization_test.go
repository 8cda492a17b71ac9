package kustomization

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"

// written is the path of a kustomization beside a resource.
func written(t testing.TB, text string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{"kustomization.yaml": text, "a.yaml": configMap} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return In(folder)
}

func TestBuild(t *testing.T) {
	cases := map[string]struct {
		reason string
		text   string
		want   string
		err    string
	}{
		"Built":      {reason: "What changes resources is applied to them.", text: "resources: [a.yaml]\nnamePrefix: b-\n", want: strings.Replace(configMap, "name: a", "name: b-a", 1)},
		"Missing":    {reason: "A file that does not exist is named.", text: "resources: [b.yaml]\n", err: "kustomization.yaml names what cannot be read: stat"},
		"Remote":     {reason: "Nothing is fetched.", text: "resources: ['https://127.0.0.1:1/a.yaml']\n", err: "names https://127.0.0.1:1/a.yaml, and nothing is fetched; build it first: kubectl kustomize"},
		"Repository": {reason: "Repositories have several forms.", text: "components: [github.com/example/a]\n", err: "names github.com/example/a, and nothing is fetched"},
		"RemoteData": {reason: "Data may be remote, too.", text: "configMapGenerator: [{name: a, files: ['a=https://127.0.0.1:1/a']}]\n", err: "names https://127.0.0.1:1/a, and nothing"},
		"Helm":       {reason: "Charts need a program that is not run.", text: "helmCharts: [{name: a, repo: 'https://127.0.0.1:1'}]\n", err: "must specify --enable-helm"},
		"Outside":    {reason: "Files above the folder are not read, as kubectl does not read them.", text: "resources: [../../../../../../etc/hostname]\n", err: "cannot build the kustomization"},
		"NotYAML":    {reason: "A mistake in the kustomization is an error.", text: "resources: [\n", err: "cannot read the kustomization"},
		"Unknown":    {reason: "A field that does not exist is an error, too.", text: "resource: [a.yaml]\n", err: "resource"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Build(written(t, tc.text))
			if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("%s\nwant the error %q, got %v", tc.reason, tc.err, err)
			}
			if diff := cmp.Diff(tc.want, string(got)); diff != "" {
				t.Errorf("%s\nBuild(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// FuzzBuild checks that no kustomization makes the program panic, and that one with a link is never built.
func FuzzBuild(f *testing.F) {
	for _, text := range []string{
		"resources: [a.yaml]\n", "patches: [{patch: '- {op: remove, path: /kind}', target: {kind: ConfigMap}}]\nresources: [a.yaml]\n",
		"replacements: [{source: {kind: ConfigMap}, targets: [{select: {kind: ConfigMap}}]}]\nresources: [a.yaml]\n", "openapi: {path: a.yaml}\n", "resources: [null]\n",
		"vars: [{name: A, objref: {kind: ConfigMap}}]\n", "transformers: [a.yaml]\n", "images: [{name: a}]\nlabels: [{pairs: {a: b}}]\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "//") {
			t.Skip("only the check above keeps a link from being followed, which TestBuild tests")
		}
		if built, err := Build(written(t, text)); err != nil && built != nil {
			t.Errorf("want an error or objects, got both for %q: %v", text, err)
		}
	})
}
