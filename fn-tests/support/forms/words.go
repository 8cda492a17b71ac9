// Package forms knows the words that only one form of the API has.
package forms

import (
	"regexp"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
)

var (
	// values are quoted and keys are in brackets. They may be any words, and so may some names.
	values = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\[[^\]]*\]|GPU memory service|\S+-k8s-service-discovery\S*`)

	// kept are paths in the annotation of a conversion, which has the fields of the other version.
	kept = regexp.MustCompile(regexp.QuoteMeta("metadata.annotations["+conversion.AnnotationSpec+"].") + `\S+`)

	// podsOfRole is a field of both forms.
	podsOfRole = regexp.MustCompile(`\.roles\[\d+\]\.podTemplate\b`)

	ofServices = regexp.MustCompile(`\b(?:services?|extraPodSpec|mainContainer|extraPodMetadata|componentType|subComponentType|envs|envFromSecret|sharedMemory|` +
		`dynamoNamespace|serviceName|topologyProfile|mountPoint|useAsCompilationCache|gpuType|limits\.gpu|intraPod|interPod|ingress|autoscaling|pvcs)\b`)
	ofServicesBesideKept = regexp.MustCompile(`\b(?:services?|extraPodSpec|mainContainer|intraPod|interPod)\b`)
	ofComponents         = regexp.MustCompile(`\b(?:components?|podTemplate|sharedMemorySize|clusterTopologyName|compilationCache|IntraPod|InterPod)\b`)
)

// OfServices are the words of a message that only a graph with services has. A message about a field in the annotation of a conversion may
// name other fields that are there.
func OfServices(message string) []string {
	words := ofServices
	if kept.MatchString(message) {
		words = ofServicesBesideKept
	}
	return words.FindAllString(withoutValues(message), -1)
}

// OfComponents are the words of a message that only a graph with components has.
func OfComponents(message string) []string {
	return ofComponents.FindAllString(withoutValues(message), -1)
}

func withoutValues(message string) string {
	return values.ReplaceAllString(podsOfRole.ReplaceAllString(kept.ReplaceAllString(message, ""), ""), "")
}
