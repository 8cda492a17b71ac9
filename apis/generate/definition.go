package main

import (
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
)

// definition is one CompositeResourceDefinition and its directory.
type definition struct {
	folder string
	object compositeResourceDefinition
}

// compositeResourceDefinition has the fields that are written here, of both versions of the kind.
type compositeResourceDefinition struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Metadata   metadata       `json:"metadata"`
	Spec       definitionSpec `json:"spec"`
}

type metadata struct {
	Name string `json:"name"`
}

type definitionSpec struct {
	Scope      string                               `json:"scope"`
	Group      string                               `json:"group"`
	Names      extv1.CustomResourceDefinitionNames  `json:"names"`
	ClaimNames *extv1.CustomResourceDefinitionNames `json:"claimNames,omitempty"`
	// DefaultCompositionRef is the Composition of new graphs that select none. Without it, Crossplane chooses one of all Compositions of
	// the kind at random, and updates the graph once more to write it down.
	DefaultCompositionRef compositionReference `json:"defaultCompositionRef"`
	Versions              []definitionVersion  `json:"versions"`
}

type compositionReference struct {
	Name string `json:"name"`
}

type definitionVersion struct {
	Name                     string                                 `json:"name"`
	Served                   bool                                   `json:"served"`
	Referenceable            bool                                   `json:"referenceable"`
	Deprecated               bool                                   `json:"deprecated,omitempty"`
	DeprecationWarning       string                                 `json:"deprecationWarning,omitempty"`
	AdditionalPrinterColumns []extv1.CustomResourceColumnDefinition `json:"additionalPrinterColumns"`
	Schema                   definitionSchema                       `json:"schema"`
}

type definitionSchema struct {
	OpenAPIV3Schema *extv1.JSONSchemaProps `json:"openAPIV3Schema"`
}

// graphNames are the names under which users know a graph, whichever flavor of the API is installed.
func graphNames() extv1.CustomResourceDefinitionNames {
	return extv1.CustomResourceDefinitionNames{
		Kind:       v1alpha1.Kind,
		ListKind:   v1alpha1.Kind + "List",
		Plural:     "dynamographdeployments",
		Singular:   "dynamographdeployment",
		ShortNames: []string{"dgd"},
		Categories: []string{"dynamo"},
	}
}

// namespaced is the default flavor: the composite resource is the graph, in the namespace of its user.
func namespaced(schema *extv1.JSONSchemaProps) definition {
	names := graphNames()
	return definition{
		folder: names.Singular,
		object: compositeResourceDefinition{
			APIVersion: "apiextensions.crossplane.io/v2",
			Kind:       "CompositeResourceDefinition",
			Metadata:   metadata{Name: names.Plural + "." + v1alpha1.Group},
			Spec: definitionSpec{
				Scope:                 "Namespaced",
				Group:                 v1alpha1.Group,
				Names:                 names,
				DefaultCompositionRef: compositionReference{Name: names.Singular},
				Versions:              versions(schema),
			},
		},
	}
}

// claims is the flavor with claims: the graph is the claim, and a cluster-scoped composite resource is created for it.
// Only version v1 of the kind, and only scope LegacyCluster, knows claims.
func claims(schema *extv1.JSONSchemaProps) definition {
	claim := graphNames()
	names := extv1.CustomResourceDefinitionNames{
		Kind:       v1alpha1.CompositeKind,
		ListKind:   v1alpha1.CompositeKind + "List",
		Plural:     "x" + claim.Plural,
		Singular:   "x" + claim.Singular,
		Categories: claim.Categories,
	}
	return definition{
		folder: names.Singular,
		object: compositeResourceDefinition{
			APIVersion: "apiextensions.crossplane.io/v1",
			Kind:       "CompositeResourceDefinition",
			Metadata:   metadata{Name: names.Plural + "." + v1alpha1.Group},
			Spec: definitionSpec{
				Scope:                 "LegacyCluster",
				Group:                 v1alpha1.Group,
				Names:                 names,
				ClaimNames:            &claim,
				DefaultCompositionRef: compositionReference{Name: names.Singular},
				Versions:              versions(schema),
			},
		},
	}
}

// versions are both versions of the API, with one schema: see union. Composite resources are stored at the newer one, and functions
// get them at that version.
func versions(schema *extv1.JSONSchemaProps) []definitionVersion {
	return []definitionVersion{
		{
			Name:                     v1beta1.Version,
			Served:                   true,
			Referenceable:            true,
			AdditionalPrinterColumns: columns(),
			Schema:                   definitionSchema{OpenAPIV3Schema: schema},
		},
		{
			Name:                     v1alpha1.Version,
			Served:                   true,
			Deprecated:               true,
			DeprecationWarning:       deprecationWarning,
			AdditionalPrinterColumns: columns(),
			Schema:                   definitionSchema{OpenAPIV3Schema: undescribed(schema)},
		},
	}
}

// deprecationWarning names the kind that users write, also in the claims flavor: a composite resource that is created for a claim
// has the versions of the claim.
const deprecationWarning = v1alpha1.Group + "/" + v1alpha1.Version + " " + v1alpha1.Kind + " is deprecated; use " +
	v1beta1.Group + "/" + v1beta1.Version + " " + v1beta1.Kind

// columns are those of both versions. Crossplane appends its own (SYNCED, READY, COMPOSITION, AGE).
func columns() []extv1.CustomResourceColumnDefinition {
	return []extv1.CustomResourceColumnDefinition{
		// READY can keep its value while a graph is refused; see docs/conditions.md.
		{Name: "Accepted", Type: "string", JSONPath: `.status.conditions[?(@.type=='Accepted')].reason`},
		{Name: "Components", Type: "string", JSONPath: ".status.readyComponents"},
		{Name: "GPUs", Type: "integer", JSONPath: ".status.totalGPUs"},
		{Name: "Orchestrator", Type: "string", JSONPath: ".status.orchestrator"},
		// With -o wide.
		{Name: "State", Type: "string", Priority: 1, JSONPath: ".status.state"},
		{Name: "Backend", Type: "string", Priority: 1, JSONPath: ".spec.backendFramework"},
		{Name: "Runtime", Type: "string", Priority: 1, JSONPath: ".status.runtimeVersion"},
		{Name: "Topology", Type: "string", Priority: 1, JSONPath: `.status.conditions[?(@.type=='TopologyLevelsAvailable')].reason`},
		// A column shows one value, and Accepted and ServicesReady each say something else.
		{Name: "Problems", Type: "string", Priority: 1, JSONPath: `.status.conditions[?(@.type=='Accepted')].message`},
		{Name: "Message", Type: "string", Priority: 1, JSONPath: `.status.conditions[?(@.type=='ServicesReady')].message`},
		// What the API server or a webhook refuses is only in Crossplane's own condition, which blanks the others.
		{Name: "Error", Type: "string", Priority: 1, JSONPath: `.status.conditions[?(@.type=='Synced')].message`},
	}
}

// undescribed returns a schema without descriptions. With descriptions in both versions, a definition would exceed the 1.5 MiB that etcd
// accepts.
func undescribed(schema *extv1.JSONSchemaProps) *extv1.JSONSchemaProps {
	if schema == nil {
		return nil
	}
	schema = schema.DeepCopy()
	clearAll(schema)
	return schema
}
