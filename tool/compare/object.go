package compare

import (
	"cmp"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/revision"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// objectsOf both sides, the most important first. Revisions of pods are not among them: they are how the functions remember.
func objectsOf(before, after *side) []Object {
	keys := maps.Clone(before.objects)
	if keys == nil {
		keys = map[string]*unstructured.Unstructured{}
	}
	maps.Copy(keys, after.objects)
	unused := before.claims()
	for name := range after.claims() {
		delete(unused, name)
	}
	var all []Object
	for key := range keys {
		if names.IsRevisionKey(key) {
			continue
		}
		o := before.object(key, after)
		if o.Kind == kindClaim && unused[o.Name] {
			delete(unused, o.Name)
			if o.Effect == Nothing {
				o.Effect, o.Text = Kept, "is kept until the graph is deleted"
			}
		}
		all = append(all, o)
	}
	// The graph has not created these.
	for name := range unused {
		all = append(all, Object{Kind: kindClaim, Name: name, Effect: Kept, Text: "is kept"})
	}
	slices.SortFunc(all, func(a, b Object) int {
		return cmp.Or(a.Effect.compareTo(b.Effect), strings.Compare(a.Kind, b.Kind), strings.Compare(a.Name, b.Name))
	})
	return all
}

// object of a key.
func (s *side) object(key string, after *side) Object {
	old, now := s.objects[key], after.objects[key]
	o := Object{Effect: Nothing}
	switch {
	case old == nil:
		o.Effect = Created
	case now == nil:
		o.Effect = Deleted
	default:
		o.Fields = differences(outside(old), outside(now))
		if old.GetKind() == "Secret" && !reflect.DeepEqual(s.live[key].Object["data"], after.live[key].Object["data"]) {
			o.Fields = append(o.Fields, Field{Path: "data", Before: redacted, After: redacted})
		}
		if len(o.Fields) > 0 {
			o.Effect = Changed
		}
	}
	shown := cmp.Or(now, old)
	o.Kind, o.Name = shown.GetKind(), shown.GetName()
	o.word()
	if o.Kind == kindClaim && o.Effect == Changed {
		if text := refusal(s.live[key], old, now); text != "" {
			o.Effect, o.Text = Refused, text
		}
	}
	return o
}

// word the effect.
func (o *Object) word() {
	switch {
	case o.Effect == Deleted && o.Kind == kindClaim:
		o.Text = "is deleted, and its data with it unless its volume is retained"
	case o.Effect == Changed:
		o.Text = "changes (" + strings.Join(summary(o.Fields), ", ") + ")"
	case o.Effect == Nothing:
		o.Text = "does not change"
	default:
		o.Text = "is " + string(o.Effect)
	}
}

var separators = regexp.MustCompile(`[.\[\]]+`)

// summary of fields: the first two names of their paths.
func summary(fields []Field) []string {
	var all []string
	for i := range fields {
		path := separators.Split(fields[i].Path, 3)
		short := strings.Trim(strings.Join(path[:min(2, len(path))], "."), ".")
		if !slices.Contains(all, short) {
			all = append(all, short)
		}
	}
	return all
}

// outside of the pods and the replicas of a workload is everything else that Crossplane applies.
func outside(object *unstructured.Unstructured) map[string]any {
	content := object.DeepCopy().Object
	remove := func(path ...string) { unstructured.RemoveNestedField(content, path...) }
	remove("status")
	for _, field := range []string{"ownerReferences", "uid", "generation", "creationTimestamp", "resourceVersion", "managedFields"} {
		remove("metadata", field)
	}
	// How the functions remember what runs.
	for _, annotation := range []string{metadata.AnnotationRevision, metadata.AnnotationTemplateHash, metadata.AnnotationAvailableSince} {
		remove("metadata", "annotations", annotation)
	}
	remove("spec", "replicas")
	switch object.GetKind() {
	case kindDeployment:
		remove("spec", "template")
	case kindLeaderWorkerSet:
		remove("spec", "leaderWorkerTemplate")
	case kindPodCliqueSet:
		outsideOfCliques(content)
	}
	return content
}

func outsideOfCliques(set map[string]any) {
	template, _, _ := unstructured.NestedFieldNoCopy(set, "spec", "template")
	fields, _ := template.(map[string]any)
	cliques, _ := fields["cliques"].([]any)
	for _, item := range cliques {
		if clique, isObject := item.(map[string]any); isObject {
			for _, path := range [][]string{{"labels"}, {"annotations"}, {"spec", "podSpec"}, {"spec", "replicas"}} {
				unstructured.RemoveNestedField(clique, path...)
			}
		}
	}
	groups, _ := fields["podCliqueScalingGroups"].([]any)
	for _, item := range groups {
		if group, isObject := item.(map[string]any); isObject {
			delete(group, "replicas")
		}
	}
}

// claims that pods use.
func (s *side) claims() map[string]bool {
	used := map[string]bool{}
	for _, component := range s.components() {
		for _, pods := range revision.PodsOf(s.graph, component, s.encoded) {
			findClaims(structpb.NewStructValue(pods), used)
		}
	}
	return used
}

func findClaims(value *structpb.Value, used map[string]bool) {
	for key, field := range value.GetStructValue().GetFields() {
		if name := field.GetStructValue().GetFields()["claimName"].GetStringValue(); key == "persistentVolumeClaim" && name != "" {
			used[name] = true
			continue
		}
		findClaims(field, used)
	}
	for _, item := range value.GetListValue().GetValues() {
		findClaims(item, used)
	}
}
