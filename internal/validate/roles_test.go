package validate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
)

func TestTypes(t *testing.T) {
	const (
		of  = `"podTemplate":{"spec":{"containers":[{"name":"main","image":"registry.example.org/runtime:1.5.0","command":["run"]}]}}`
		why = "multinode is supported only for worker, prefill, or decode components; set type to one of these types, or remove multinode"
	)
	cases := map[string]struct {
		reason     string
		spec       string
		live       bool
		errs, warn []string
	}{
		"Prefill": {reason: "Workers for one phase of inference are workers.", spec: `{"components":[{"name":"A","type":"prefill","multinode":{},` + of + `}]}`},
		"Frontend": {
			reason: "A frontend runs on one node.", spec: `{"components":[{"name":"A","type":"frontend","multinode":{},` + of + `}]}`,
			errs: []string{"spec.components[A].multinode: Forbidden: " + why},
		},
		"None": {
			reason: "A component without a type may be a worker.", spec: `{"components":[{"name":"A","multinode":{},` + of + `}]}`,
			warn: []string{"spec.components[A].multinode: the Dynamo operator refuses it without type since release 1.5: " + why},
		},
		"Picker": {
			reason: "An Endpoint Picker has one message about this.", spec: `{"components":[{"name":"A","type":"epp","multinode":{},` + of + `}]}`,
			errs: []string{"spec.components[A].multinode: Forbidden: may not be set for the Endpoint Picker, which runs on one node; remove it"},
		},
		"Live": {
			reason: "A live graph keeps what it was created with, and is told.", spec: `{"components":[{"name":"A","type":"frontend","multinode":{},` + of + `}]}`, live: true,
			warn: []string{"spec.components[A].multinode: a new graph is refused with it: " + why},
		},
		"LivePod": {
			reason: "Before Kubernetes 1.34, the API server ignores what pods request as a whole, so that they run.", live: true,
			spec: `{"components":[{"name":"A","type":"frontend","podTemplate":{"spec":{"resources":{"limits":{"cpu":"-1"}},"containers":[{"name":"main","image":"x"}]}}}]}`,
			warn: []string{"spec.components[A].podTemplate.spec.resources.limits[cpu]: a new graph is refused with it: must be at least 0"},
		},
		"LiveContainer": {
			reason: "The pods of other components run, and an amount that was always refused still is.", live: true,
			spec: `{"components":[{"name":"A","type":"frontend","podTemplate":{"spec":{"containers":[{"name":"main","image":"x","resources":{
				"requests":{"hugepages-2Mi":"2Mi"},"limits":{"gpu":"1","cpu":"-1"}}}]}}}]}`,
			errs: []string{`spec.components[A].podTemplate.spec.containers[main].resources.limits[cpu]: Invalid value: "-1": must be at least 0`},
			warn: []string{
				"spec.components[A].podTemplate.spec.containers[main].resources.limits[gpu]: the API server refuses the pods: must be the full name of a resource, such as nvidia.com/gpu",
				"spec.components[A].podTemplate.spec.containers[main].resources.requests[hugepages-2Mi]: the API server refuses the pods: requires an equal limit of hugepages-2Mi; huge pages cannot be overcommitted",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := decodeTree(t, map[string]any{
				"kind": "DynamoGraphDeployment", "metadata": map[string]any{"name": "llama", "namespace": "inference"}, "spec": parse(t, tc.spec),
			})
			errs := validate.Spec(g, validate.Options{Live: tc.live}).Texts(g)
			warn := validate.MisuseWarnings(g, tc.live).Texts(g)
			if diff := cmp.Diff(tc.errs, errs); diff != "" {
				t.Errorf("%s\nSpec(...): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.warn, warn); diff != "" {
				t.Errorf("%s\nMisuseWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRoles(t *testing.T) {
	const (
		of       = `"podTemplate":{"spec":{"containers":[{"name":"main","image":"registry.example.org/runtime:1.5.0","command":["run"]}]}}`
		override = `"providerOverride":{"apiVersion":"grove.io/v1alpha1","value":{"topologyConstraint":{"pack":{"required":"rack"}}}}`
	)
	cases := map[string]struct {
		reason   string
		spec     string
		errs     []string
		warnings []string
	}{
		"Valid": {
			reason: "Both roles, with their only numbers of replicas or without, in any order.",
			spec:   `{"components":[{"name":"Worker","type":"worker","multinode":{"nodeCount":3},"roles":[{"name":"worker","replicas":2,` + override + `},{"name":"leader"}],` + of + `}]}`,
		},
		"NoMultinode": {
			reason: "Only components that span nodes have roles.",
			spec:   `{"components":[{"name":"Worker","type":"worker","roles":[{"name":"leader"},{"name":"worker"}],` + of + `}]}`,
			errs: []string{
				"spec.components[Worker].roles: Forbidden: roles are supported only for component shapes that define a role schema; this release supports multinode components; remove roles, or set multinode",
			},
		},
		"UnknownName": {
			reason: "There is a leader, and there are workers.",
			spec:   `{"components":[{"name":"Worker","type":"worker","multinode":{"nodeCount":2},"roles":[{"name":"leader"},{"name":"worker"},{"name":"helper","replicas":9}],` + of + `}]}`,
			errs:   []string{`spec.components[Worker].roles[2].name: Unsupported value: "helper": supported values: "leader", "worker"`},
		},
		"TwiceAndMissing": {
			reason: "Each role is there once.",
			spec:   `{"services":{"Worker":{"componentType":"worker","multinode":{"nodeCount":2},"roles":[{"name":"leader"},{"name":"leader"}],"extraPodSpec":{"mainContainer":{"image":"i:1.5.0","command":["run"]}}}}}`,
			errs: []string{
				`spec.services[Worker].roles: Required value: must contain the "worker" role; add it, or remove roles`,
				`spec.services[Worker].roles[1].name: Invalid value: "leader": is duplicated; rename or remove one of the two`,
			},
		},
		"Replicas": {
			reason: "The number of pods of a role follows from the number of nodes.",
			spec:   `{"components":[{"name":"Worker","type":"worker","multinode":{"nodeCount":3},"roles":[{"name":"leader","replicas":2},{"name":"worker","replicas":3}],` + of + `}]}`,
			errs: []string{
				`spec.components[Worker].roles[0].replicas: Invalid value: 2: must equal 1 for multinode role "leader"; correct or remove it`,
				`spec.components[Worker].roles[1].replicas: Invalid value: 3: must equal 2 for multinode role "worker"; correct or remove it`,
			},
		},
		"PodTemplates": {
			reason: "Both roles may have pods of their own, in any order.",
			spec:   `{"components":[{"name":"Worker","type":"worker","multinode":{"nodeCount":2},"roles":[{"name":"worker",` + of + `},{"name":"leader",` + of + `}]}]}`,
		},
		"PodTemplateOfOne": {
			reason: "Nothing is left for the other role, and one template would contradict the other.",
			spec:   `{"components":[{"name":"Worker","type":"worker","multinode":{"nodeCount":2},"roles":[{"name":"leader",` + of + `},{"name":"worker"}],` + of + `}]}`,
			errs: []string{
				"spec.components[Worker].podTemplate: Forbidden: may not be set together with pod templates of roles, which are complete; move it to the templates, and remove it",
				"spec.components[Worker].roles[1].podTemplate: Required value: each role needs a pod template, because another role has one; add it, or write one podTemplate.spec for the pods of all roles",
			},
		},
		"MistakeOfWorkers": {
			reason: "The templates of both roles are checked, and errors name the role.",
			spec: `{"components":[{"name":"Worker","type":"worker","multinode":{"nodeCount":2},"roles":[{"name":"worker","podTemplate":{"spec":{"containers":[{"name":"main","image":"a b"}]}}},` +
				`{"name":"leader","podTemplate":{"spec":{"containers":[{"name":"main","image":"x","command":["run"]}]}}}]}]}`,
			errs: []string{
				"spec.components[Worker].roles[0].podTemplate.spec.containers[main].command: Required value: specify the command of the worker, or set spec.backendFramework to run python3 -m dynamo.<framework>; [] runs the image's entry point",
			},
		},
		"MistakeInService": {
			reason: "A service has the fields of its pods in several places, none of which may be beside the templates.",
			spec: `{"services":{"Worker":{"componentType":"worker","multinode":{"nodeCount":2},"resources":{"limits":{"gpu":"1"}},"roles":[{"name":"leader","podTemplate":{"spec":{"containers":[{"name":"main","image":"x"}]}}},` +
				`{"name":"worker","podTemplate":{"spec":{"containers":[{"name":"main"}]}}}]}}}`,
			errs: []string{
				"spec.services[Worker].resources: Forbidden: may not be set together with pod templates of roles, which are complete; move it to the templates, and remove it",
				"spec.services[Worker].roles[0].podTemplate.spec.containers[main].command: Required value: specify the command of the worker, or set spec.backendFramework to run python3 -m dynamo.<framework>; [] runs the image's entry point",
			},
		},
		"Launched": {
			reason: "What depends on commands that are connected here cannot be combined with commands that connect themselves.",
			spec:   `{"components":[{"name":"Worker","type":"worker","multinode":{"nodeCount":2},"experimental":{"failover":{}},"roles":[{"name":"worker",` + of + `},{"name":"leader",` + of + `}]}]}`,
			errs: []string{
				"spec.components[Worker].experimental.failover: Forbidden: may not be set together with pod templates of roles, because it needs commands that are connected for you; remove one of the two",
				"spec.components[Worker].experimental.gpuMemoryService: Required value: failover requires the GPU memory service with the same mode; add it, or remove failover",
			},
		},
		"Override": {
			reason: "The override of a role is one of its clique.",
			spec: `{"components":[{"name":"Worker","type":"worker","multinode":{"nodeCount":2},"roles":[{"name":"leader","providerOverride":{"apiVersion":"grove.io/v1alpha1",
				"target":"PodCliqueSet","value":{"topologyConstraint":{"pack":{"required":"rack"}}}}},{"name":"worker"}],` + of + `}]}`,
			errs: []string{`spec.components[Worker].roles[0].providerOverride.target: Invalid value: "PodCliqueSet": must be PodCliqueTemplateSpec here; correct or remove it`},
		},
		"TypedTopology": {
			reason: "Two constraints of one graph would contradict each other.",
			spec: `{"topologyConstraint":{"clusterTopologyName":"t","packDomain":"zone"},
				"components":[{"name":"Worker","type":"worker","multinode":{"nodeCount":2},"roles":[{"name":"leader"},{"name":"worker",` + override + `}],` + of + `}]}`,
			errs: []string{"spec.components[Worker].roles[1].providerOverride: Forbidden: cannot be combined with topologyConstraint of the graph or of a component; remove one of the two"},
		},
		"InMultinode": {
			reason:   "Earlier graphs have their roles in multinode, which still works.",
			spec:     `{"components":[{"name":"Worker","type":"worker","multinode":{"nodeCount":2,"leader":{` + override + `},"worker":{}},` + of + `}]}`,
			warnings: inMultinode(),
		},
		"InBoth": {
			reason: "Roles in two places would contradict each other.",
			spec:   `{"components":[{"name":"Worker","type":"worker","multinode":{"nodeCount":2,"leader":{},"worker":{}},"roles":[{"name":"leader"},{"name":"worker"}],` + of + `}]}`,
			errs: []string{
				"spec.components[Worker].multinode.leader: Forbidden: may not be set together with roles; move its providerOverride to role leader in roles",
				"spec.components[Worker].multinode.worker: Forbidden: may not be set together with roles; move its providerOverride to role worker in roles",
			},
			warnings: inMultinode(),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := decodeTree(t, map[string]any{
				"kind": "DynamoGraphDeployment", "metadata": map[string]any{"name": "llama", "namespace": "inference"}, "spec": parse(t, tc.spec),
			})
			errs := validate.Spec(g, validate.Options{Grove: true}).Texts(g)
			if diff := cmp.Diff(tc.errs, errs); diff != "" {
				t.Errorf("%s\nSpec(...): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.warnings, warningsOf(g)); diff != "" {
				t.Errorf("%s\nWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// inMultinode are the warnings about roles in multinode.
func inMultinode() []string {
	var all []string
	for _, role := range []string{"leader", "worker"} {
		all = append(all, "spec.components[Worker].multinode."+role+": is deprecated; list both roles in roles of the component, and move providerOverride to role "+role)
	}
	return all
}
