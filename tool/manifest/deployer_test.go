package manifest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDeployed(t *testing.T) {
	const argoCD = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec: "
	const flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a}\nspec: "
	cases := map[string]struct {
		reason  string
		object  string
		unbuilt string
		note    string
	}{
		"Read":           {reason: "What is applied as it is was checked.", object: argoCD + "{source: {path: graphs/prod}}"},
		"ReadBelow":      {reason: "Folders in the folder are applied as they are, too.", object: argoCD + "{source: {path: graphs, directory: {recurse: true}}}"},
		"NoSource":       {reason: "An object with mistakes is that of others.", object: argoCD + "{source: a, sources: [1, {path: 2}]}", note: "what Application a applies"},
		"ReadRoot":       {reason: "A folder may be that of the repository.", object: flux + "{}"},
		"Other":          {reason: "Graphs of other folders were not.", object: argoCD + "{source: {path: graphs/dev}}", note: "argocd app manifests a | kubectl dgd validate -"},
		"Similar":        {reason: "A part of the name of a folder is another folder.", object: flux + "{path: ./raphs/prod}", note: "flux build kustomization a --path=./raphs/prod | kubectl dgd validate -"},
		"OneOfSources":   {reason: "Each source counts.", object: argoCD + "{sources: [{path: graphs/prod}, {chart: a}]}", note: "what Application a applies is not among the files"},
		"Changed":        {reason: "What is changed before it is applied was not checked.", object: flux + "{path: graphs/prod, patches: []}", unbuilt: "Kustomization a changes the graphs in graphs/prod by its patches"},
		"ChangedArgoCD":  {reason: "Argo CD changes files, too.", object: argoCD + "{source: {path: graphs, kustomize: {}, helm: {}}}", unbuilt: "Application a changes the graphs in graphs by its helm, kustomize"},
		"ChangedOther":   {reason: "Changes of other graphs do not matter here.", object: flux + "{path: apps, patches: []}", note: "what Kustomization a applies"},
		"HelmRelease":    {reason: "A chart may have graphs.", object: "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: a}\nspec: {chart: {}}", note: "helm template a CHART | kubectl dgd validate -"},
		"AnotherProject": {reason: "Other kinds apply nothing.", object: "apiVersion: example.org/v1\nkind: Application\nmetadata: {name: a}\nspec: {source: {path: b}}"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for path, text := range map[string]string{"graphs/prod/a.yaml": graphOf("a"), "apply.yaml": tc.object} {
				path = filepath.Join(root, path)
				if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			files, err := Reader{Recursive: true}.Read([]string{root})
			if err != nil {
				t.Fatal(err)
			}
			unbuilt := ""
			if err := files.Err(); err != nil {
				unbuilt = err.Error()
			}
			if note := strings.Join(files.NotApplied(), "\n"); !strings.Contains(unbuilt, tc.unbuilt) || (unbuilt == "") != (tc.unbuilt == "") ||
				!strings.Contains(note, tc.note) || (note == "") != (tc.note == "") {
				t.Errorf("%s\nwant the error %q and the note %q, got %q and %q", tc.reason, tc.unbuilt, tc.note, unbuilt, note)
			}
		})
	}
}
