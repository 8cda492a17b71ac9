package graph

import "testing"

func TestText(t *testing.T) {
	g, errs := Decode(request(ofSpec(`{"components":[{"name":"Worker","podTemplate":{"spec":{"containers":[
		{"name":"one","image":"i"},{"name":"main"},{"name":"two","image":"i"}]}}}]}`)))
	if len(errs) > 0 {
		t.Fatalf("Decode(...): %v", errs)
	}
	cases := map[string]struct {
		reason string
		text   string
		want   string
	}{
		"MainContainer": {
			reason: "The main container is one of the containers of the pod template.",
			text:   "spec.services[Worker].extraPodSpec.mainContainer.env[0].name",
			want:   "spec.components[Worker].podTemplate.spec.containers[main].env[0].name",
		},
		"ContainerBeforeMain": {
			reason: "A container before the main container has the index that it has for the user.",
			text:   "spec.services[Worker].extraPodSpec.containers[0].image",
			want:   "spec.components[Worker].podTemplate.spec.containers[0].image",
		},
		"ContainerAfterMain": {
			reason: "A container after the main container is counted with it.",
			text:   "spec.services[Worker].extraPodSpec.containers[1].image",
			want:   "spec.components[Worker].podTemplate.spec.containers[2].image",
		},
		"WholeField": {
			reason: "A field is not renamed because its name begins like that of another.",
			text:   "spec.services[Worker].resourcesOfAll",
			want:   "spec.components[Worker].resourcesOfAll",
		},
		"Unchanged": {
			reason: "Most fields have the same name in both forms.",
			text:   "spec.services[Worker].multinode.nodeCount",
			want:   "spec.components[Worker].multinode.nodeCount",
		},
		"Key": {
			reason: "A key in brackets stays as it is.",
			text:   "spec.services[Worker].extraPodMetadata.annotations[example.com/services]",
			want:   "spec.components[Worker].podTemplate.metadata.annotations[example.com/services]",
		},
		"Prose": {
			reason: "Messages speak of components.",
			text:   `all services must have the same extraPodSpec.schedulerName; change one service`,
			want:   `all components must have the same podTemplate.spec.schedulerName; change one component`,
		},
		"Quoted": {
			reason: "Quoted text is a value of the user.",
			text:   `"services" and "a \"service\"" of a service`,
			want:   `"services" and "a \"service\"" of a component`,
		},
		"OtherServices": {
			reason: "Kubernetes and GPU memory have services as well.",
			text:   "the Service of the GPU memory service has a ServiceAccount",
			want:   "the Service of the GPU memory service has a ServiceAccount",
		},
		"NoName": {
			reason: "A component may lack its name.",
			text:   "spec.services[]: Required value",
			want:   "spec.components[]: Required value",
		},
		"TopologyOfTheGraph": {
			reason: "Fields of the graph are renamed as well.",
			text:   "spec.topologyConstraint.topologyProfile: spec.envs",
			want:   "spec.topologyConstraint.clusterTopologyName: spec.env",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := g.Text(tc.text); got != tc.want {
				t.Errorf("%s\nText(%q):\nwant %s\ngot  %s", tc.reason, tc.text, tc.want, got)
			}
			services := &Graph{}
			if got := services.Text(tc.text); got != tc.text {
				t.Errorf("A graph with services keeps %q, got %q", tc.text, got)
			}
		})
	}
}

// TestWordsAreFound holds the table of words and the expression that finds them together.
func TestWordsAreFound(t *testing.T) {
	for word := range words() {
		if got := wording.FindString(word); got != word {
			t.Errorf("the expression finds %q in %q", got, word)
		}
	}
}
