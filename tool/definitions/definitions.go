// Package definitions contains the CustomResourceDefinitions of graphs and of the objects that they become, so that a program can validate
// both without a cluster.
package definitions

import (
	"embed"
	"encoding/json"
	"slices"
	"sync"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kubeschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/schema"
)

// Names of the definitions of graphs. Two of them have the same kind.
const (
	// Graph is the namespaced composite resource.
	Graph = "dynamographdeployments"
	// Claim of the claims flavor.
	Claim = "claims"
	// Composite is the cluster-scoped composite resource of a claim.
	Composite = "xdynamographdeployments"
)

// data is written by fn-tests/support/definitions/embed. JSON takes a fraction of the time that YAML takes to parse.
//
//go:embed data/*.json
var data embed.FS

// CRD with a name.
func CRD(name string) (*extv1.CustomResourceDefinition, error) {
	text, err := data.ReadFile("data/" + name + ".json")
	if err != nil {
		return nil, errors.Errorf("cannot find definition %s: %w", name, err)
	}
	crd := &extv1.CustomResourceDefinition{}
	if err := json.Unmarshal(text, crd); err != nil {
		return nil, errors.Errorf("cannot decode definition %s: %w", name, err)
	}
	return crd, nil
}

// composed are the definitions of kinds that graphs become, by group and kind.
func composed() map[kubeschema.GroupKind]string {
	return map[kubeschema.GroupKind]string{
		{Group: "grove.io", Kind: "PodCliqueSet"}:                          "podcliquesets",
		{Group: "leaderworkerset.x-k8s.io", Kind: "LeaderWorkerSet"}:       "leaderworkersets",
		{Group: "nvidia.com", Kind: "DynamoGraphDeploymentScalingAdapter"}: "scalingadapters",
		{Group: "resource.nvidia.com", Kind: "ComputeDomain"}:              "computedomains",
		{Group: "scheduling.volcano.sh", Kind: "PodGroup"}:                 "podgroups",
	}
}

// Validators of the definitions. Each is made when it is first needed, because that takes longer than to validate an object.
type Validators struct {
	lock sync.Mutex
	made map[made]*schema.Validator
}

type made struct{ name, version string }

// Of a definition and version.
func (v *Validators) Of(name, version string) (*schema.Validator, error) {
	v.lock.Lock()
	defer v.lock.Unlock()
	key := made{name: name, version: version}
	if validator := v.made[key]; validator != nil {
		return validator, nil
	}
	crd, err := CRD(name)
	if err != nil {
		return nil, err
	}
	// A definition with a single version has a schema whatever version is asked for.
	if !slices.ContainsFunc(crd.Spec.Versions, func(v extv1.CustomResourceDefinitionVersion) bool { return v.Name == version && v.Served }) {
		return nil, errors.Errorf("definition %s has no version %s", name, version)
	}
	validator, err := schema.New(crd, version)
	if err != nil {
		return nil, err
	}
	if v.made == nil {
		v.made = map[made]*schema.Validator{}
	}
	v.made[key] = validator
	return validator, nil
}

// Composed returns the validator of a kind that graphs become, or nil if its definition is not known.
func (v *Validators) Composed(gvk kubeschema.GroupVersionKind) (*schema.Validator, error) {
	name, ok := composed()[gvk.GroupKind()]
	if !ok {
		return nil, nil //nolint:nilnil // A kind without a definition is not an error.
	}
	return v.Of(name, gvk.Version)
}
