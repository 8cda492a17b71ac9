package plantest

import (
	"regexp"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
)

// InComponents is a request whose graph is converted to v1beta1.
func InComponents(t testing.TB, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionRequest {
	t.Helper()
	req = proto.CloneOf(req)
	converted, _ := conversion.ToV1beta1(req.GetObserved().GetComposite().GetResource().AsMap())
	xr, err := structpb.NewStruct(converted)
	if err != nil {
		t.Fatalf("cannot encode the converted graph: %v", err)
	}
	req.Observed.Composite.Resource = xr
	return req
}

// OfServices are the words of a message that only a graph with services has. Values are quoted, keys are in brackets, and what the annotation of the conversion
// keeps has the names of v1alpha1.
func OfServices(message string) []string {
	words := `\b(?:services?|extraPodSpec|mainContainer|extraPodMetadata|componentType|subComponentType|envs|envFromSecret|sharedMemory|dynamoNamespace|` +
		`serviceName|topologyProfile|mountPoint|useAsCompilationCache|gpuType|limits\.gpu|intraPod|interPod|ingress|autoscaling|pvcs)\b`
	kept := regexp.MustCompile(regexp.QuoteMeta("metadata.annotations["+conversion.AnnotationSpec+"].") + `\S+`)
	if kept.MatchString(message) {
		message = kept.ReplaceAllString(message, "")
		words = `\b(?:services?|extraPodSpec|mainContainer|intraPod|interPod)\b`
	}
	other := regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\[[^\]]*\]|GPU memory service`)
	return regexp.MustCompile(words).FindAllString(other.ReplaceAllString(message, ""), -1)
}
