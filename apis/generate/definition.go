package main

import (
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

// definition is one CompositeResourceDefinition and the folder it lives in.
type definition struct {
	folder string
	object compositeResourceDefinition
}

// compositeResourceDefinition is the part of the kind that we write, of both its versions.
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
	Versions   []definitionVersion                  `json:"versions"`
}

type definitionVersion struct {
	Name                     string                                 `json:"name"`
	Served                   bool                                   `json:"served"`
	Referenceable            bool                                   `json:"referenceable"`
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

// namespaced is the default flavor: the composite resource is the graph, in the user's namespace.
func namespaced(schema *extv1.JSONSchemaProps) definition {
	names := graphNames()
	return definition{
		folder: names.Singular,
		object: compositeResourceDefinition{
			APIVersion: "apiextensions.crossplane.io/v2",
			Kind:       "CompositeResourceDefinition",
			Metadata:   metadata{Name: names.Plural + "." + v1alpha1.Group},
			Spec: definitionSpec{
				Scope:    "Namespaced",
				Group:    v1alpha1.Group,
				Names:    names,
				Versions: versions(schema),
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
				Scope:      "LegacyCluster",
				Group:      v1alpha1.Group,
				Names:      names,
				ClaimNames: &claim,
				Versions:   versions(schema),
			},
		},
	}
}

// versions is the one version of the API. Crossplane appends its own columns (SYNCED, READY, COMPOSITION, AGE) to ours.
func versions(schema *extv1.JSONSchemaProps) []definitionVersion {
	return []definitionVersion{{
		Name:          v1alpha1.Version,
		Served:        true,
		Referenceable: true,
		AdditionalPrinterColumns: []extv1.CustomResourceColumnDefinition{
			{Name: "State", Type: "string", JSONPath: ".status.state"},
			// READY can keep its value while a graph is refused; see docs/conditions.md.
			{Name: "Accepted", Type: "string", JSONPath: `.status.conditions[?(@.type=='Accepted')].status`},
			{Name: "Services", Type: "string", JSONPath: `.status.conditions[?(@.type=='ServicesReady')].status`},
			{Name: "Orchestrator", Type: "string", JSONPath: ".status.orchestrator"},
			{Name: "GPUs", Type: "integer", JSONPath: ".status.totalGPUs"},
		},
		Schema: definitionSchema{OpenAPIV3Schema: schema},
	}}
}
