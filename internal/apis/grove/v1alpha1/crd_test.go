package v1alpha1

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

const (
	oldest = "grove-v0.1.0-alpha.6"
	newest = "grove-v0.1.0-alpha.12-rc1"
)

// TestTypesAgainstCRDs looks up every field of our types in the CustomResourceDefinitions of Grove. A field that is not
// there would be pruned by the API server without a word.
func TestTypesAgainstCRDs(t *testing.T) {
	cases := map[string]struct {
		reason string
		folder string
		file   string
		object any
		// absent are the fields that this version does not have.
		absent []string
	}{
		"PodCliqueSetOldest": {
			reason: "Before alpha.10 a constraint is {packDomain}, and the plan says which dialect to write.",
			folder: oldest,
			file:   "grove.io_podcliquesets.yaml",
			object: PodCliqueSet{},
			absent: slices.Concat(
				inConstraints("pack", "topologyName"),
				inPods(labelsOfEphemeralClaims, schedulingGroup, "volumes[].projected.sources[].podCertificate.userAnnotations"),
				// Only in the later dialect of multi-node NVLink.
				[]string{"spec.template.podCliqueScalingGroups[].annotations"},
				// Added in alpha.8.
				[]string{"spec.updateStrategy", "spec.template.resourceClaimTemplates", "spec.template.podCliqueScalingGroups[].resourceSharing"},
				// Its name before alpha.7 is rollingUpdateProgress.
				[]string{"status.updateProgress"},
				rollingUpdates(),
			),
		},
		"PodCliqueSetNewest": {
			reason: "From alpha.10 on a constraint is {topologyName, pack}.",
			folder: newest,
			file:   "grove.io_podcliquesets.yaml",
			object: PodCliqueSet{},
			absent: slices.Concat(
				inPods(labelsOfEphemeralClaims, schedulingGroup),
				[]string{"status.rollingUpdateProgress"},
				rollingUpdates(),
			),
		},
		"PodCliqueOldest": {
			reason: "The oldest version has what is read of a PodClique, with the update under another name.",
			folder: oldest,
			file:   "grove.io_podcliques.yaml",
			object: PodClique{},
			absent: []string{"status.updateProgress"},
		},
		"PodCliqueNewest": {
			reason: "The newest version has what is read of a PodClique.",
			folder: newest,
			file:   "grove.io_podcliques.yaml",
			object: PodClique{},
			absent: []string{"status.rollingUpdateProgress"},
		},
		"PodCliqueScalingGroupOldest": {
			reason: "The oldest version has what is read of a PodCliqueScalingGroup, with the update under another name.",
			folder: oldest,
			file:   "grove.io_podcliquescalinggroups.yaml",
			object: PodCliqueScalingGroup{},
			absent: []string{"status.updateProgress"},
		},
		"PodCliqueScalingGroupNewest": {
			reason: "The newest version has what is read of a PodCliqueScalingGroup.",
			folder: newest,
			file:   "grove.io_podcliquescalinggroups.yaml",
			object: PodCliqueScalingGroup{},
			absent: []string{"status.rollingUpdateProgress"},
		},
		"ClusterTopology": {
			reason: "Up to alpha.8 the levels are in a ClusterTopology, which Grove alone passes on to the scheduler.",
			folder: oldest,
			file:   "grove.io_clustertopologies.yaml",
			object: Topology{},
			absent: []string{"spec.schedulerTopologyBindings"},
		},
		"ClusterTopologyBinding": {
			reason: "From alpha.9 on the levels are in a ClusterTopologyBinding.",
			folder: newest,
			file:   "grove.io_clustertopologybindings.yaml",
			object: Topology{},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			schema := schemaOf(t, tc.folder, tc.file)
			absent := map[string]bool{}
			for _, root := range []string{"spec", "status"} {
				field, ok := fieldsOf(reflect.TypeOf(tc.object))[root]
				if !ok {
					continue
				}
				properties := schema.Properties[root]
				findAbsent(field, &properties, root, absent)
			}
			slices.Sort(tc.absent)
			if diff := cmp.Diff(tc.absent, slices.Sorted(maps.Keys(absent))); diff != "" {
				t.Errorf("%s\nfields that %s does not have: -want, +got:\n%s", tc.reason, tc.folder, diff)
			}
		})
	}
}

// Fields of a pod that no version of Grove takes so far.
const (
	labelsOfEphemeralClaims = "volumes[].ephemeral.volumeClaimTemplate.metadata"
	// Of Kubernetes v1.36.
	schedulingGroup = "schedulingGroup"
)

// inConstraints are the paths of fields of every topology constraint.
func inConstraints(fields ...string) []string {
	var all []string
	for _, field := range fields {
		for _, parent := range []string{"", "cliques[].", "podCliqueScalingGroups[]."} {
			all = append(all, "spec.template."+parent+"topologyConstraint."+field)
		}
	}
	return all
}

// rollingUpdates are fields that were added in alpha.14.
func rollingUpdates() []string {
	return []string{"spec.template.cliques[].rollingUpdate", "spec.template.podCliqueScalingGroups[].rollingUpdate"}
}

// inPods are the paths of fields of the pod template.
func inPods(fields ...string) []string {
	all := make([]string, 0, len(fields))
	for _, field := range fields {
		all = append(all, "spec.template.cliques[].spec.podSpec."+field)
	}
	return all
}

// schemaOf a CustomResourceDefinition of the shared reference material.
func schemaOf(t *testing.T, folder, file string) *apiextensionsv1.JSONSchemaProps {
	t.Helper()
	text, err := os.ReadFile(shared.Path(t, 1, "crds", folder, file))
	if err != nil {
		t.Fatal(err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(text, crd); err != nil {
		t.Fatalf("cannot read %s: %v", file, err)
	}
	return crd.Spec.Versions[0].Schema.OpenAPIV3Schema
}

// findAbsent collects the paths of a type's fields that a schema does not have. What is below such a field is not
// looked at.
func findAbsent(typ reflect.Type, schema *apiextensionsv1.JSONSchemaProps, path string, absent map[string]bool) {
	if schema.XPreserveUnknownFields != nil && *schema.XPreserveUnknownFields {
		return
	}
	switch typ.Kind() {
	case reflect.Pointer:
		findAbsent(typ.Elem(), schema, path, absent)
	case reflect.Slice:
		if schema.Items != nil && schema.Items.Schema != nil {
			findAbsent(typ.Elem(), schema.Items.Schema, path+"[]", absent)
		} else if schema.Type != "string" {
			absent[path+"[]"] = true
		}
	case reflect.Map:
		if schema.AdditionalProperties == nil || schema.AdditionalProperties.Schema == nil {
			absent[path+"{}"] = true
			return
		}
		findAbsent(typ.Elem(), schema.AdditionalProperties.Schema, path+"{}", absent)
	case reflect.Struct:
		if marshalsItself(typ) {
			return
		}
		if len(schema.Properties) == 0 {
			absent[path] = true
			return
		}
		for name, field := range fieldsOf(typ) {
			below, ok := schema.Properties[name]
			if !ok {
				absent[path+"."+name] = true
				continue
			}
			findAbsent(field, &below, path+"."+name, absent)
		}
	default:
	}
}

// marshalsItself reports whether a type is a scalar in JSON, such as a time or a quantity.
func marshalsItself(typ reflect.Type) bool {
	marshaler := reflect.TypeFor[json.Marshaler]()
	return typ.Implements(marshaler) || reflect.PointerTo(typ).Implements(marshaler)
}

// fieldsOf a struct by their JSON names, those of embedded structs among them.
func fieldsOf(typ reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for field := range typ.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" && field.Anonymous {
			maps.Copy(fields, fieldsOf(field.Type))
			continue
		}
		fields[name] = field.Type
	}
	return fields
}
