package validate_test

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/validate"
)

func TestBadGrove(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"NamesTooLong": {
			reason: "On Grove, the names of graph and service have at most 45 characters together.",
			patch:  `metadata: {name: a-graph-with-a-name-of-forty-characters-x}`,
			with:   validate.Options{Grove: true},
			want: []string{
				`spec.services[Frontend]: Invalid value: "Frontend": names are too long for Grove: the graph's and the service's name make 49 characters (graph: a-graph-with-a-name-of-forty-characters-x), and pods may have 45; shorten the name of the graph or of the service`,
				`spec.services[decode]: Invalid value: "decode": names are too long for Grove: the graph's and the service's name make 47 characters (graph: a-graph-with-a-name-of-forty-characters-x), and pods may have 45; shorten the name of the graph or of the service`,
			},
		},
		"MultinodeNamesTooLong": {
			reason: "On Grove, the name of a multinode service counts twice.",
			patch:  `{metadata: {name: a-graph-with-a-long-name-of-35-chars}, spec: {services: {decode: {multinode: {nodeCount: 2}}}}}`,
			with:   validate.Options{Grove: true},
			want: []string{
				`spec.services[decode]: Invalid value: "decode": names are too long for Grove: the graph's name, twice the service's name and 4 for the role make 52 characters (graph: a-graph-with-a-long-name-of-35-chars), and pods may have 45; shorten the name of the graph or of the service`,
			},
		},
		"ScaleToZero": {
			reason: "Grove would run one replica of a service that is scaled to 0.",
			patch:  `spec: {services: {decode: {replicas: 0}}}`,
			with:   validate.Options{Grove: true},
			want: []string{
				`spec.services[decode].replicas: Invalid value: 0: Grove cannot scale a service to 0 and would run 1: set at least 1, or run the graph without Grove (annotation nvidia.com/enable-grove: "false")`,
			},
		},
		"SpreadConstraints": {
			reason: "Grove refuses topology spread constraints.",
			patch:  `spec: {services: {decode: {extraPodSpec: {topologySpreadConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule}]}}}}`,
			with:   validate.Options{Grove: true},
			want: []string{
				"spec.services[decode].extraPodSpec.topologySpreadConstraints: Forbidden: Grove refuses them; place pods by topologyConstraint or affinity",
			},
		},
		"NodeName": {
			reason: "Grove refuses pods that name their node.",
			patch:  `spec: {services: {decode: {extraPodSpec: {nodeName: node-1}}}}`,
			with:   validate.Options{Grove: true},
			want: []string{
				"spec.services[decode].extraPodSpec.nodeName: Forbidden: Grove refuses it; place pods by nodeSelector or affinity",
			},
		},
		"SuffixOfAnotherService": {
			reason: "Grove would take the wrong template for a clique whose name ends in that of another.",
			patch:  `spec: {services: {vllmdecode: {extraPodSpec: {mainContainer: {image: x}}}}}`,
			with:   validate.Options{Grove: true},
			want: []string{
				`spec.services[vllmdecode]: Invalid value: "vllmdecode": Grove would take clique vllmdecode for clique decode of service decode, since its name ends in it: rename one of the two services`,
			},
		},
		"SuffixOfAnotherMultinodeService": {
			reason: "Grove would also take the wrong template for the roles of multinode services.",
			patch:  `spec: {services: {decode: {multinode: {nodeCount: 2}}, vllmdecode: {multinode: {nodeCount: 2}, extraPodSpec: {mainContainer: {image: x}}}}}`,
			with:   validate.Options{Grove: true},
			want: []string{
				`spec.services[vllmdecode]: Invalid value: "vllmdecode": Grove would take clique vllmdecode-ldr for clique decode-ldr of service decode, since its name ends in it: rename one of the two services`,
				`spec.services[vllmdecode]: Invalid value: "vllmdecode": Grove would take clique vllmdecode-wkr for clique decode-wkr of service decode, since its name ends in it: rename one of the two services`,
			},
		},
		"SameClique": {
			reason: "A service may be called as a role of a multinode one: the set would have two cliques of one name.",
			patch:  `spec: {services: {decode: {multinode: {nodeCount: 2}}, Decode-LDR: {extraPodSpec: {mainContainer: {image: x}}}}}`,
			with:   validate.Options{Grove: true},
			want: []string{
				`spec.services[Decode-LDR]: Invalid value: "Decode-LDR": on Grove its clique would be called decode-ldr, and so would one of service decode: rename one of the two services`,
			},
		},
		"TwoSchedulers": {
			reason: "On Grove, all services of a graph must have the same scheduler.",
			patch:  `spec: {services: {decode: {extraPodSpec: {schedulerName: volcano}}}}`,
			with:   validate.Options{Grove: true},
			want: []string{
				"spec.services: Forbidden: all services of a graph must have the same scheduler on Grove, and Frontend has default-scheduler; decode has volcano: set the same extraPodSpec.schedulerName everywhere, or nowhere",
			},
		},
		"TwoSchedulersWithKAI": {
			reason: "Where KAI schedules the other services, a service cannot name another scheduler.",
			patch:  `spec: {services: {decode: {extraPodSpec: {schedulerName: default-scheduler}}}}`,
			with:   validate.Options{Grove: true, KAI: true},
			want: []string{
				"spec.services: Forbidden: all services of a graph must have the same scheduler on Grove, and Frontend has kai-scheduler; decode has default-scheduler: set the same extraPodSpec.schedulerName everywhere, or nowhere",
			},
		},
		"DotsInNameOfSet": {
			reason: "A LeaderWorkerSet has no dots in its name.",
			patch:  `{metadata: {name: llama.3}, spec: {services: {decode: {multinode: {nodeCount: 2}}}}}`,
			with:   validate.Options{LWS: true},
			want: []string{
				`spec.services[decode]: Invalid value: "decode": its LeaderWorkerSet would be called llama.3-decode-0, which must be at most 50 characters, begin with a letter and have no dots: change the name of the graph or of the service`,
			},
		},
		"NameOfSetTooLong": {
			reason: "The name of a LeaderWorkerSet must be short, because its StatefulSets add to it.",
			patch:  `{metadata: {name: a-graph-with-a-name-of-far-more-than-forty-characters}, spec: {services: {decode: {multinode: {nodeCount: 2}}}}}`,
			with:   validate.Options{LWS: true},
			want: []string{
				`spec.services[decode]: Invalid value: "decode": its LeaderWorkerSet would be called a-graph-with-a-name-of-far-more-than-forty-characters-decode-0, which must be at most 50 characters, begin with a letter and have no dots: change the name of the graph or of the service`,
			},
		},
		"HeadlessServiceOfSet": {
			reason: "A replica has a headless Service of its own.",
			patch:  `spec: {services: {decode: {multinode: {nodeCount: 2}}, decode-0: {extraPodSpec: {mainContainer: {image: x}}}}}`,
			with:   validate.Options{LWS: true},
			want: []string{
				`spec.services[decode-0]: Invalid value: "decode-0": its Service would have the name of the headless Service of replica 0 of service decode: rename one of the two`,
			},
		},
	})
}
