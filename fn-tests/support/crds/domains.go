package crds

import (
	"encoding/json"
	"regexp"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Usage describes what the API server would refuse in a Usage according to rules other than types, and the fields that every Usage of the
// chain needs.
func Usage(object *unstructured.Unstructured) []string {
	var c checker
	text := func(path ...string) string {
		value, _, _ := unstructured.NestedString(object.Object, path...)
		return value
	}
	replay, _, _ := unstructured.NestedBool(object.Object, "spec", "replayDeletion")
	c.requiref(object.GetNamespace() != "", "a Usage is namespaced")
	for _, side := range []string{"of", "by"} {
		for _, path := range [][]string{{"apiVersion"}, {"kind"}, {"resourceRef", "name"}} {
			path = append([]string{"spec", side}, path...)
			c.requiref(text(path...) != "", "%v is missing", path)
		}
	}
	c.requiref(text("spec", "of", "resourceRef", "namespace") == "", "the domain is in the namespace of the Usage")
	c.requiref(replay, "replayDeletion is not set")
	return c.broken
}

// claimed returns the claim templates to which the pods of a workload refer, by their names.
var claimed = regexp.MustCompile(`"name":"mnnvl-claim","resourceClaimTemplateName":"([^"]*)"`)

// Domains describes inconsistencies between the objects of a graph: a pod that claims a channel of a domain that does not exist is never
// scheduled, and a domain that is not protected is deleted before its pods.
func Domains(objects []*unstructured.Unstructured) []string {
	var c checker
	domains := map[string]bool{}
	exists := map[string]bool{}
	for _, object := range objects {
		exists[object.GetKind()+" "+object.GetName()] = true
		if object.GetKind() == "ComputeDomain" {
			template, _, _ := unstructured.NestedString(object.Object, "spec", "channel", "resourceClaimTemplate", "name")
			c.requiref(!domains[template], "two domains have the template %s", template)
			domains[template] = true
		}
	}
	protected := map[string]bool{}
	for _, object := range objects {
		if object.GetKind() != "Usage" {
			continue
		}
		workload, _, _ := unstructured.NestedString(object.Object, "spec", "of", "resourceRef", "name")
		kind, _, _ := unstructured.NestedString(object.Object, "spec", "by", "kind")
		name, _, _ := unstructured.NestedString(object.Object, "spec", "by", "resourceRef", "name")
		c.requiref(exists["ComputeDomain "+workload], "Usage %s protects no domain that exists: %s", object.GetName(), workload)
		c.requiref(exists[kind+" "+name], "Usage %s is by no workload that exists: %s %s", object.GetName(), kind, name)
		protected[kind+" "+name+" "+workload] = true
	}
	for _, object := range objects {
		if object.GetKind() == "ControllerRevision" {
			// It contains copies of the pods of workloads, but has no pods itself.
			continue
		}
		text, err := json.Marshal(object.Object)
		c.requiref(err == nil, "%s %s: %v", object.GetKind(), object.GetName(), err)
		for _, match := range claimed.FindAllStringSubmatch(string(text), -1) {
			c.requiref(domains[match[1]], "%s %s: there is no domain with the template %s", object.GetKind(), object.GetName(), match[1])
			c.requiref(protected[object.GetKind()+" "+object.GetName()+" "+match[1]], "%s %s: no Usage protects domain %s", object.GetKind(), object.GetName(), match[1])
		}
	}
	return c.broken
}
