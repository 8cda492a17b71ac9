package validate_test

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
)

func TestBadGrove(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"NamesTooLong": {
			reason: "On Grove, the names of the PodCliqueSet and the service have at most 45 characters together.",
			patch:  `metadata: {name: a-graph-with-a-name-of-forty-characters-x}`,
			with:   validate.Options{Grove: true},
			want: []string{
				`spec.services[Frontend]: Invalid value: "Frontend": the names of its PodCliqueSet (a-graph-with-a-name-of-forty-characters-x) and of the service have 49 characters in total, but Grove allows at most 45; shorten the name of the service`,
				`spec.services[decode]: Invalid value: "decode": the names of its PodCliqueSet (a-graph-with-a-name-of-forty-characters-x) and of the service have 47 characters in total, but Grove allows at most 45; shorten the name of the service`,
			},
		},
		"NamesAdmitted": {
			reason: "Grove has accepted the name of a service that a live PodCliqueSet runs.",
			patch:  `metadata: {name: a-graph-with-a-name-of-forty-characters-x}`,
			with:   validate.Options{Grove: true, Admitted: map[string]bool{"decode": false}},
			want: []string{
				`spec.services[Frontend]: Invalid value: "Frontend": the names of its PodCliqueSet (a-graph-with-a-name-of-forty-characters-x) and of the service have 49 characters in total, but Grove allows at most 45; shorten the name of the service`,
			},
		},
		"MultinodeNamesTooLong": {
			reason: "On Grove, the name of a multinode service counts twice.",
			patch:  `{metadata: {name: a-graph-with-a-long-name-of-35-chars}, spec: {services: {decode: {multinode: {nodeCount: 2}}}}}`,
			with:   validate.Options{Grove: true},
			want: []string{
				`spec.services[decode]: Invalid value: "decode": the name of its PodCliqueSet (a-graph-with-a-long-name-of-35-chars), twice the name of the service, and 4 for the role have 52 characters in total, but Grove allows at most 45; shorten the name of the service`,
			},
		},
		"ScaleToZero": {
			reason: "Grove would run one replica of a service that is scaled to 0.",
			patch:  `spec: {services: {decode: {replicas: 0}}}`,
			with:   validate.Options{Grove: true},
			want: []string{
				`spec.services[decode].replicas: Invalid value: 0: may not be 0 on Grove, which sets it to 1 when it admits the PodCliqueSet, so that one replica runs; remove the service from the graph while it is not needed, or, unless only Grove can run its nodes, create the graph with annotation nvidia.com/enable-grove: "false"`,
			},
		},
		"ScaleLiveToZero": {
			reason: "A live graph keeps its components and its orchestrator.",
			patch:  `spec: {services: {decode: {replicas: 0}}}`,
			with:   validate.Options{Grove: true, Live: true},
			want: []string{
				`spec.services[decode].replicas: Invalid value: 0: may not be 0 on Grove, which sets it to 1 when it admits the PodCliqueSet, so that one replica runs; set 1 or more, or delete the graph and create it without the service`,
			},
		},
		"SpreadConstraints": {
			reason: "Grove refuses topology spread constraints.",
			patch:  `spec: {services: {decode: {extraPodSpec: {topologySpreadConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule}]}}}}`,
			with:   validate.Options{Grove: true},
			want: []string{
				"spec.services[decode].extraPodSpec.topologySpreadConstraints: Forbidden: not supported on Grove; use topologyConstraint or affinity instead",
			},
		},
		"NodeName": {
			reason: "Grove refuses pods that name their node.",
			patch:  `spec: {services: {decode: {extraPodSpec: {nodeName: node-1}}}}`,
			with:   validate.Options{Grove: true},
			want: []string{
				"spec.services[decode].extraPodSpec.nodeName: Forbidden: not supported on Grove; use nodeSelector or affinity instead",
			},
		},
		"SuffixOfAnotherService": {
			reason: "Grove would take the wrong template for a clique whose name ends in that of another.",
			patch:  `spec: {services: {vllmdecode: {extraPodSpec: {mainContainer: {image: x}}}}}`,
			with:   validate.Options{Grove: true},
			want: []string{
				`spec.services[vllmdecode]: Invalid value: "vllmdecode": Grove would mistake clique vllmdecode for clique decode of service decode, because the first name ends with the second name; rename one of the two services`,
			},
		},
		"SuffixOfAnotherMultinodeService": {
			reason: "Grove would also take the wrong template for the roles of multinode services.",
			patch:  `spec: {services: {decode: {multinode: {nodeCount: 2}}, vllmdecode: {componentType: worker, multinode: {nodeCount: 2}, extraPodSpec: {mainContainer: {image: x, command: [run]}}}}}`,
			with:   validate.Options{Grove: true},
			want: []string{
				`spec.services[vllmdecode]: Invalid value: "vllmdecode": Grove would mistake clique vllmdecode-ldr for clique decode-ldr of service decode, because the first name ends with the second name; rename one of the two services`,
				`spec.services[vllmdecode]: Invalid value: "vllmdecode": Grove would mistake clique vllmdecode-wkr for clique decode-wkr of service decode, because the first name ends with the second name; rename one of the two services`,
			},
		},
		"SameClique": {
			reason: "A service may be called as a role of a multinode one: the set would have two cliques of one name.",
			patch:  `spec: {services: {decode: {multinode: {nodeCount: 2}}, Decode-LDR: {extraPodSpec: {mainContainer: {image: x}}}}}`,
			with:   validate.Options{Grove: true},
			want: []string{
				`spec.services[Decode-LDR]: Invalid value: "Decode-LDR": on Grove its clique would have the same name, decode-ldr, as a clique of service decode; rename one of the two services`,
			},
		},
		"TwoSchedulers": {
			reason: "On Grove, all services of a graph must have the same scheduler.",
			patch:  `spec: {services: {decode: {extraPodSpec: {schedulerName: volcano}}}}`,
			with:   validate.Options{Grove: true},
			want: []string{
				"spec.services: Forbidden: all services of a graph must have the same scheduler on Grove, but default-scheduler is used by Frontend and volcano is used by decode; set the same extraPodSpec.schedulerName for all services, or for none",
			},
		},
		"TwoSchedulersWithKAI": {
			reason: "Where KAI schedules the other services, a service cannot name another scheduler.",
			patch:  `spec: {services: {decode: {extraPodSpec: {schedulerName: default-scheduler}}}}`,
			with:   validate.Options{Grove: true, Scheduler: "kai-scheduler"},
			want: []string{
				"spec.services: Forbidden: all services of a graph must have the same scheduler on Grove, but default-scheduler is used by decode and kai-scheduler is used by Frontend; set the same extraPodSpec.schedulerName for all services, or for none",
			},
		},
		"DotsInNameOfSet": {
			reason: "A LeaderWorkerSet has no dots in its name.",
			patch:  `{metadata: {name: llama.3}, spec: {services: {decode: {multinode: {nodeCount: 2}}}}}`,
			with:   validate.Options{LWS: true},
			want: []string{
				`spec.services[decode]: Invalid value: "decode": its LeaderWorkerSet would be named llama.3-decode-0, but names of LeaderWorkerSets must have at most 50 characters, begin with a letter and contain no dots; rename the graph`,
			},
		},
		"NameOfSetTooLong": {
			reason: "The name of a LeaderWorkerSet must be short, because its StatefulSets add to it.",
			patch:  `{metadata: {name: a-graph-with-a-name-of-far-more-than-forty-characters}, spec: {services: {decode: {multinode: {nodeCount: 2}}}}}`,
			with:   validate.Options{LWS: true},
			want: []string{
				`spec.services[decode]: Invalid value: "decode": its LeaderWorkerSet would be named a-graph-with-a-name-of-far-more-than-forty-characters-decode-0, but names of LeaderWorkerSets must have at most 50 characters, begin with a letter and contain no dots; shorten the names of the graph and of the service to 47 characters together`,
			},
		},
		"HeadlessServiceOfSet": {
			reason: "A replica has a headless Service of its own.",
			patch:  `spec: {services: {decode: {multinode: {nodeCount: 2}}, decode-0: {extraPodSpec: {mainContainer: {image: x}}}}}`,
			with:   validate.Options{LWS: true},
			want: []string{
				`spec.services[decode-0]: Invalid value: "decode-0": its Service would have the name of the headless Service of replica 0 of service decode; rename one of the two services`,
			},
		},
	})
}
