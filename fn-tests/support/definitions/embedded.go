package definitions

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/schema"
)

// source of a definition: a file, and which of its definitions.
type source struct {
	path  string
	index int

	// later adds what only later versions of the definition have, which have no file here. nil if there is no more.
	later func(*extv1.CustomResourceDefinition)
}

// embedded definitions, by the names of their files.
func embedded() map[string]source {
	const (
		folder = "fn-tests/support/definitions/"
		claims = "apis/xdynamographdeployment/definition.yaml"
	)
	return map[string]source{
		"claims":                  {path: claims, index: 1},
		"computedomains":          {path: folder + "nvidia-dra-v0.4.0/resource.nvidia.com_computedomains.yaml"},
		"dynamographdeployments":  {path: "apis/dynamographdeployment/definition.yaml"},
		"leaderworkersets":        {path: folder + "lws-v0.10.0/leaderworkerset.x-k8s.io_leaderworkersets.yaml"},
		"podcliquesets":           {path: folder + "grove-v0.1.0-alpha.12-rc1/grove.io_podcliquesets.yaml", later: updatesOfAlpha14},
		"podgroups":               {path: folder + "volcano-v1.15.1/scheduling.volcano.sh_podgroups.yaml"},
		"scalingadapters":         {path: "package/scalingadapter-crd.yaml"},
		"xdynamographdeployments": {path: claims},
	}
}

// updatesOfAlpha14 are the update strategy, and the limits of rolling updates, that Grove v0.1.0-alpha.14 adds. Whether a cluster has them is
// asked before a graph gets them.
func updatesOfAlpha14(crd *extv1.CustomResourceDefinition) {
	limits := extv1.JSONSchemaProps{Type: "object", Properties: map[string]extv1.JSONSchemaProps{
		"maxUnavailable": {Type: "integer", Format: "int32", Minimum: new(1.0)}, "progressDeadline": {Type: "string"},
	}}
	for i := range crd.Spec.Versions {
		spec := crd.Spec.Versions[i].Schema.OpenAPIV3Schema.Properties["spec"]
		strategy := spec.Properties["updateStrategy"]
		types := strategy.Properties["type"]
		types.Enum = append(types.Enum, extv1.JSON{Raw: []byte(`"Coherent"`)})
		strategy.Properties["type"] = types
		for _, list := range []string{"cliques", "podCliqueScalingGroups"} {
			spec.Properties["template"].Properties[list].Items.Schema.Properties["rollingUpdate"] = limits
		}
	}
}

// Embed writes the definitions that package tool/definitions contains to a folder: those of graphs, as Crossplane derives them, and
// those of the objects that graphs become. It reads them from the current folder, which is the root of the repository.
func Embed(folder string) error {
	all := embedded()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		crds, err := schema.Load(all[name].path)
		if err != nil {
			return err
		}
		crd := crds[all[name].index]
		if later := all[name].later; later != nil {
			later(crd)
		}
		crd.Status = extv1.CustomResourceDefinitionStatus{}
		// A line for each value, so that git merges changes.
		text, err := json.MarshalIndent(crd, "", "")
		if err != nil {
			return fmt.Errorf("cannot encode %s: %w", crd.Name, err)
		}
		if err := os.WriteFile(filepath.Join(folder, name+".json"), append(text, '\n'), 0o644); err != nil {
			return fmt.Errorf("cannot write a definition: %w", err)
		}
	}
	return nil
}
