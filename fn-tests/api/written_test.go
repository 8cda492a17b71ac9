package api

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/templates"
)

// checkHashes compares the plan's hash of the user's pod settings of each service with the pod templates: both change together, or neither
// does. It reports whether a hash changed alone, which the sample has to explain. A template must never change alone, because the user's
// edit would be missed.
func checkHashes(t *testing.T, tr trial, before, after harness.Output) (alone bool) {
	t.Helper()
	if after.Err != nil {
		return false
	}
	hashesBefore, hashesAfter := hashesOf(t, before), hashesOf(t, after)
	for service, hash := range hashesBefore {
		changed := templatesChanged(templatesOf(t, before, service), templatesOf(t, after, service))
		switch hashChanged := hashesAfter[service] != hash; {
		case changed && !hashChanged:
			t.Errorf("%s on %s: the pods of %s change, and the hash of what the user has written for them does not: add the field to functions/plan/written", tr.path, tr.orchestrator, service)
		case hashChanged && !changed && tr.hashAlone == "":
			t.Errorf("%s on %s: the hash of what the user has written for the pods of %s changes, and they do not: leave the field out of functions/plan/written, or say in hashAlone of its sample why it is in", tr.path, tr.orchestrator, service)
		default:
			alone = alone || hashChanged && !changed
		}
	}
	return alone
}

var hashPattern = regexp.MustCompile(`^[0-9a-f]{16}( 2:[0-9a-f]{16})?( 3:[0-9a-f]{16})?$`)

// hashesOf the user's pod settings, by service, from the plan in the context of a render.
func hashesOf(t *testing.T, out harness.Output) map[string]string {
	t.Helper()
	hashes := map[string]string{}
	for _, object := range out.Composed {
		services, _, _ := unstructured.NestedMap(object.Object, "fields", "plan.dynamo.nvidia.com", "services")
		for name := range services {
			hash, _, _ := unstructured.NestedString(services, name, "written")
			if !hashPattern.MatchString(hash) {
				t.Errorf("the plan has no hash of what the user has written for %s: %q", name, hash)
			}
			hashes[name] = hash
		}
	}
	if len(hashes) == 0 {
		t.Error("a render has no plan in its context")
	}
	return hashes
}

// templatesOf a service are hashes of the settings whose changes replace its pods, by workload and role.
func templatesOf(t *testing.T, out harness.Output, service string) map[[2]string]string {
	t.Helper()
	outline, err := templates.OutlineOf("", "", out.Composite, composed(out))
	if err != nil {
		t.Fatal(err)
	}
	found, name := map[[2]string]string{}, strings.ToLower(service)
	for _, row := range outline.Rows {
		ofClique := row.Key == "podcliqueset" && slices.Contains([]string{name, name + "-ldr", name + "-wkr"}, row.Role)
		ofWorkload := row.Key == "deployment-"+name || strings.HasPrefix(row.Key, "leaderworkerset-"+name+"-")
		if ofClique || ofWorkload && row.Role != "(fixed)" {
			found[[2]string{row.Key, row.Role}] = row.Hash
		}
	}
	return found
}

// templatesChanged reports whether pods are replaced of a workload that exists before and after the change. Replicas may be added or removed.
func templatesChanged(before, after map[[2]string]string) bool {
	for at, hash := range before {
		if other, ok := after[at]; ok && other != hash {
			return true
		}
	}
	return false
}

// TestEveryAnnotation sets the annotations of a graph's metadata: hashes and pod templates change together, or neither changes.
func TestEveryAnnotation(t *testing.T) {
	samples, err := ReadSamples("testdata/samples.yaml")
	if err != nil {
		t.Fatal(err)
	}
	k := &kitchen{binary: harness.New(t), graphs: map[string]string{}, outputs: map[harness.Render]harness.Output{}}
	var trials []trial
	var reach []bool
	var renders []harness.Render
	for _, o := range orchestrators(samples) {
		cluster, composition := k.cluster(t, o.cluster), harness.CompositionWithInput(t, o.input)
		for _, sample := range samples.Annotations {
			before := clone(samples.Graph)
			Merge(before, clone(sample.With))
			if !o.nodes {
				delete(objectAt(before, "spec", "services"), samples.Nodes)
			}
			after := clone(before)
			Merge(after, map[string]any{"metadata": map[string]any{"annotations": map[string]any{sample.Name: sample.Value}}})
			of := func(graph map[string]any) harness.Render {
				return harness.Render{XR: k.graph(t, graph), Cluster: cluster, Composition: composition, Everything: true}
			}
			trials = append(trials, trial{tried: tried{"metadata.annotations[" + sample.Name + "]", o.name}, before: of(before), after: of(after)})
			reach = append(reach, sample.Reaches)
			renders = append(renders, of(before), of(after))
		}
	}
	k.render(t, renders)
	for i, tr := range trials {
		before, after := k.outputs[tr.before], k.outputs[tr.after]
		if before.Err != nil || after.Err != nil {
			t.Errorf("%s on %s: is refused: %s%s", tr.path, tr.orchestrator, before.Stderr, after.Stderr)
			continue
		}
		checkHashes(t, tr, before, after)
		if changed := !maps.Equal(hashesOf(t, before), hashesOf(t, after)); tr.orchestrator == "Grove" && reach[i] != changed {
			t.Errorf("%s on %s: reaches pods: want %t, got %t", tr.path, tr.orchestrator, reach[i], changed)
		}
	}
}
