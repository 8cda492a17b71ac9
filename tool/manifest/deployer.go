package manifest

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// A deployer is a kind of objects that apply what is in a folder of a repository.
type deployer struct {
	group, kind string

	// spec is the path of the object that names the folder, which may also be in a list of the same name in plural.
	spec []string

	// changes are the fields by which what is applied differs from the files.
	changes []string

	// path of the folder that is applied if none is set. Empty if it is not in a repository of manifests.
	path string

	// build is the command that prints what is applied, with NAME for the name of the object and PATH for the folder.
	build string
}

// deployers of Argo CD and Flux.
// https://argo-cd.readthedocs.io/en/stable/user-guide/application-specification/ https://fluxcd.io/flux/components/kustomize/kustomizations/
func deployers() []deployer {
	argoCD := []string{"chart", "helm", "kustomize", "plugin"}
	return []deployer{
		{group: "argoproj.io", kind: "Application", spec: []string{"spec", "source"}, changes: argoCD, build: "argocd app manifests NAME"},
		{group: "argoproj.io", kind: "ApplicationSet", spec: []string{"spec", "template", "spec", "source"}, changes: argoCD, build: "argocd app manifests NAME"},
		{
			group: "kustomize.toolkit.fluxcd.io", kind: "Kustomization", spec: []string{"spec"}, path: "./", build: "flux build kustomization NAME --path=PATH",
			changes: []string{
				"commonMetadata", "components", "images", "namePrefix", "nameSuffix", "patches", "patchesJson6902", "patchesStrategicMerge",
				"postBuild", "targetNamespace",
			},
		},
		{group: "helm.toolkit.fluxcd.io", kind: "HelmRelease", spec: []string{"spec"}, build: "helm template NAME CHART"},
	}
}

// deployed says what objects of Argo CD and Flux apply that is not in the files as they are.
func (f *Files) deployed() {
	for i := range f.Objects {
		o := &f.Objects[i]
		for _, d := range deployers() {
			group, _, _ := strings.Cut(o.GetAPIVersion(), "/")
			if group != d.group || o.GetKind() != d.kind {
				continue
			}
			for _, source := range d.sources(o.Object) {
				f.deploys(o, d, source)
			}
		}
	}
}

// sources of an object: the one that it has, or a list of them.
func (d *deployer) sources(object map[string]any) []map[string]any {
	last := len(d.spec) - 1
	single, _, _ := unstructured.NestedFieldNoCopy(object, d.spec...)
	several, _, _ := unstructured.NestedFieldNoCopy(object, append(slices.Clone(d.spec[:last]), d.spec[last]+"s")...)
	many, _ := several.([]any)
	var all []map[string]any
	for _, item := range append([]any{single}, many...) {
		if source, ok := item.(map[string]any); ok {
			all = append(all, source)
		}
	}
	return all
}

// deploys what a source names.
func (f *Files) deploys(o *Object, d deployer, source map[string]any) {
	path, _ := source["path"].(string)
	path = cmp.Or(path, d.path)
	var changes []string
	for _, name := range d.changes {
		if _, ok := source[name]; ok {
			changes = append(changes, name)
		}
	}
	position, _ := o.At("kind")
	name, build := o.GetKind()+" "+o.GetName(), strings.NewReplacer("NAME", output.Shell(o.GetName()), "PATH", output.Shell(path)).Replace(d.build)
	switch hasRead := path != "" && f.hasRead(path); {
	case hasRead && len(changes) > 0:
		f.Unbuilt = append(f.Unbuilt, Problem{Position: position, Message: fmt.Sprintf(
			"%s changes the graphs in %s by its %s before it applies them, so they are not checked; check what it applies: %s | kubectl dgd validate -",
			name, path, strings.Join(changes, ", "), build)})
	case !hasRead:
		f.unread = append(f.unread, fmt.Sprintf("%s: note: what %s applies is not among the files; if it has graphs, check them: %s | kubectl dgd validate -", position, name, build))
	}
}

// hasRead reports whether a graph is from a folder of the repository.
func (f *Files) hasRead(folder string) bool {
	folder = strings.Trim(filepath.ToSlash(filepath.Clean("/"+folder)), "/")
	return slices.ContainsFunc(f.Graphs(), func(o Object) bool {
		return o.File != Stdin && (folder == "" || strings.Contains(filepath.ToSlash(filepath.Dir(absolute(o.File)))+"/", "/"+folder+"/"))
	})
}
