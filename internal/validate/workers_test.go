package validate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWorkers(t *testing.T) {
	const (
		at     = "spec.services[decode]."
		noGPU  = at + "resources.limits: contain no GPU, so the engine finds no GPU; set the number of GPUs (nvidia.com/gpu, amd.com/gpu, google.com/tpu, gpu.intel.com/i915, gpu.intel.com/xe, habana.ai/gaudi), or a claim for them"
		noMode = at + "extraPodSpec.mainContainer.args: do not tell dynamo.vllm that it is a prefill worker, so it also decodes, and is not found as a prefill worker; " +
			"add --disaggregation-mode prefill, or --is-prefill-worker with images of Dynamo before 1.0.0"
		noMockerMode = at + "extraPodSpec.mainContainer.args: do not tell dynamo.mocker that it is a prefill worker, so it also decodes, and is not found as a prefill worker; " +
			"add --disaggregation-mode prefill, or --is-prefill-worker with images that do not know it"
	)
	const noDecode = "spec.services[decode]: is a prefill worker, but no service of the graph decodes, so no request is ever answered; add a worker that decodes"
	const noLock = at + "extraPodSpec.mainContainer.securityContext: does not add capability IPC_LOCK, without which the container cannot register memory with rdma/ib where its runtime limits locked memory; set capabilities: {add: [IPC_LOCK]}"
	runWarnings(t, map[string]warningCase{
		"NoGPU":  {reason: "An engine needs a device.", patch: `spec: {services: {decode: {resources: null}}}`, want: []string{noGPU}},
		"Memory": {reason: "Memory is no device.", patch: `spec: {services: {decode: {resources: {limits: {gpu: null, memory: 1Gi, custom: {rdma/ib: 1}}}}}}`, want: []string{noLock, noGPU}},
		"Default": {
			reason: "The default command of a worker runs the engine too.",
			patch:  `spec: {backendFramework: vllm, services: {decode: {resources: null, extraPodSpec: {mainContainer: {command: null}}}}}`, want: []string{noGPU},
		},
		"OtherDevice": {reason: "Engines also run on other devices.", patch: `spec: {services: {decode: {resources: {limits: {gpu: null, custom: {aws.amazon.com/neuron: 1}}}}}}`},
		"Fraction":    {reason: "KAI gives the pod a share of a GPU.", patch: `spec: {services: {decode: {resources: null, annotations: {gpu-fraction: "0.5"}}}}`},
		"MemoryOfGPU": {
			reason: "KAI gives the pod a share of a GPU by its memory, also in the metadata of pods.",
			patch:  `spec: {services: {decode: {resources: null, extraPodMetadata: {annotations: {gpu-memory: "20000"}}}}}`,
		},
		"Claim": {
			reason: "A device can be in a claim.",
			patch:  `spec: {services: {decode: {resources: null, extraPodSpec: {resourceClaims: [{name: gpu, resourceClaimName: gpu}]}}}}`,
		},
		"CPU": {reason: "Some images run on processors.", patch: `spec: {services: {decode: {resources: null, extraPodSpec: {mainContainer: {image: vllm-cpu}}}}}`},
		"WithoutDomain": {
			reason: "Another message says what a name without a domain should be.",
			patch:  `spec: {services: {decode: {resources: null, extraPodSpec: {mainContainer: {resources: {limits: {gpu: 1}}}}}}}`,
		},
		"DeviceFlag": {reason: "A flag names another device.", patch: `spec: {services: {decode: {resources: null, extraPodSpec: {mainContainer: {args: [--device, cpu]}}}}}`},
		"Visible":    {reason: "A variable names devices that the container gets in another way.", patch: `spec: {services: {decode: {resources: null, envs: [{name: NVIDIA_VISIBLE_DEVICES, value: all}]}}}`},
		"Own":        {reason: "What a program of the user needs is not known.", patch: `spec: {services: {decode: {resources: null, extraPodSpec: {mainContainer: {command: [serve]}}}}}`},
		"Mocker":     {reason: "The mocker needs no GPU.", patch: `spec: {services: {decode: {resources: null, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.mocker]}}}}}`},
		"MockerPrefill": {
			reason: "A mocker without a mode does both, too.",
			patch:  `spec: {services: {decode: {subComponentType: prefill, resources: null, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.mocker]}}}}}`,
			want:   []string{noMockerMode},
		},
		"MockerFlag": {
			reason: "Early releases of the mocker have another flag.",
			patch:  `spec: {services: {decode: {subComponentType: prefill, resources: null, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.mocker, --is-prefill-worker]}}}}}`,
			want:   []string{noDecode},
		},
		"PrefillFlag": {reason: "An engine is told its phase.", patch: `spec: {services: {decode: {subComponentType: prefill, extraPodSpec: {mainContainer: {args: [--disaggregation-mode, prefill]}}}}}`, want: []string{noDecode}},
		"OlderFlag":   {reason: "Early releases have another flag.", patch: `spec: {services: {decode: {subComponentType: prefill, extraPodSpec: {mainContainer: {args: [--is-prefill-worker]}}}}}`, want: []string{noDecode}},
		"Variable":    {reason: "The phase can be in a variable.", patch: `spec: {services: {decode: {subComponentType: prefill, envs: [{name: DYN_VLLM_DISAGGREGATION_MODE, value: prefill}]}}}`, want: []string{noDecode}},
		"Unclear":     {reason: "Flags in a variable are not known.", patch: `spec: {services: {decode: {subComponentType: prefill, extraPodSpec: {mainContainer: {command: [sh, -c, python3 -m dynamo.vllm $FLAGS]}}}}}`, want: []string{noDecode}},
		"Decode":      {reason: "Decoding is what an engine does without a flag.", patch: `spec: {services: {decode: {subComponentType: decode}}}`},
		"Prefill":     {reason: "Without a flag, an engine does both.", patch: `spec: {services: {decode: {subComponentType: prefill}}}`, want: []string{noMode}},
		"DecodeBesidePrefill": {
			reason: "Other frameworks do both without a flag, also beside workers that only prefill.",
			patch: `spec: {services: {
				decode: {subComponentType: decode, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.sglang]}}},
				prefill: {componentType: prefill, extraPodSpec: {mainContainer: {image: i, command: [serve]}}}}}`,
			want: []string{at + "extraPodSpec.mainContainer.args: do not tell dynamo.sglang that it is a decode worker, so it also prefills; add --disaggregation-mode decode"},
		},
		"DecodeAlone": {
			reason: "Without workers that prefill, a worker does both.", patch: `spec: {services: {decode: {subComponentType: decode, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.sglang]}}}}}`,
		},
		"DecodeOfVLLM": {
			reason: "The engine of vLLM decodes without a flag.",
			patch:  `spec: {services: {decode: {subComponentType: decode}, prefill: {componentType: prefill, extraPodSpec: {mainContainer: {image: i, command: [serve]}}}}}`,
		},
		"PrefillType": {reason: "The phase can also be the type.", patch: `spec: {services: {decode: {componentType: prefill}}}`, want: []string{noMode}},
		"Misspelt": {
			reason: "A resource that is almost that of GPUs is no node's.", patch: `spec: {services: {decode: {resources: {limits: {gpu: null, custom: {nvidia.com/gpus: 1}}}}}}`,
			want: []string{at + `resources.limits.custom[nvidia.com/gpus]: is not a resource that nodes are known to have; did you mean "nvidia.com/gpu"?`},
		},
		"MisspeltInContainer": {
			reason: "A container can have such a resource, too.", patch: `spec: {services: {decode: {extraPodSpec: {mainContainer: {resources: {requests: {nvidia.com/gpus: 1}, limits: {nvidia.com/gpus: 1}}}}}}}`,
			want: []string{
				at + `extraPodSpec.mainContainer.resources.limits[nvidia.com/gpus]: is not a resource that nodes are known to have; did you mean "nvidia.com/gpu"?`,
				at + `extraPodSpec.mainContainer.resources.requests[nvidia.com/gpus]: is not a resource that nodes are known to have; did you mean "nvidia.com/gpu"?`,
			},
		},
		"Shares": {reason: "Shares and slices of GPUs have names of their own.", patch: `spec: {services: {decode: {resources: {limits: {custom: {nvidia.com/gpu.shared: 1, nvidia.com/gpumem: 3000, nvidia.com/mig-1g.10gb: 1}}}}}}`},
	})
}

// TestTypesOfPrograms combines programs with types of components, in both versions.
func TestTypesOfPrograms(t *testing.T) {
	programs := map[string]struct{ reason, command, runs, needed, lacks string }{
		"frontend":   {"What clients call is a frontend.", "[python3, -m, dynamo.frontend]", "dynamo.frontend", "frontend", "a frontend, such as port http and DYN_HTTP_PORT, and no Service leads to its HTTP server"},
		"planner":    {"What scales is a planner.", "[python3, -m, dynamo.planner]", "dynamo.planner", "planner", "a planner, such as PLANNER_PROMETHEUS_PORT, and do not run with its ServiceAccount"},
		"picker":     {"Only a picker is told a pool.", "[/epp, --pool-name, a]", "an Endpoint Picker", "epp", "an Endpoint Picker, such as port grpc and DYN_ENFORCE_DISAGG, and no InferencePool leads to it"},
		"engine":     {"An engine is a worker, also for one phase of inference.", "[python3, -m, dynamo.vllm]", "dynamo.vllm", "worker", "a worker, such as port nixl and DYN_SYSTEM_ENABLED"},
		"several":    {"A container may run several programs.", `[sh, -c, "python3 -m dynamo.frontend & python3 -m dynamo.vllm"]`, "", "", ""},
		"Prometheus": {"Early planners have a Prometheus, which needs nothing.", "[python3, -m, dynamo.planner.prometheus]", "", "", ""},
		"other":      {"What the program of a user needs is not known.", "[serve]", "", "", ""},
	}
	types := map[string]string{ // The type of which each is the spelling, as far as pods get defaults by it.
		`""`: "", "main": "", "api": "", "workerr": "worker", "frontend": "frontend", "worker": "worker", "prefill": "worker", "decode": "worker", "planner": "planner", "epp": "epp",
	}
	for name, program := range programs {
		for written, meant := range types {
			for _, form := range []string{
				`services: {a: {componentType: %s, extraPodSpec: {mainContainer: {image: i, command: %s}}}}`,
				`components: [{name: a, type: %s, podTemplate: {spec: {containers: [{name: main, image: i, command: %s}]}}}]`,
			} {
				g := decodeTree(t, parse(t, "spec: {backendFramework: vllm, "+fmt.Sprintf(form, written, program.command)+"}"))
				var want []string
				if program.needed != "" && program.needed != meant {
					is, remedy := `"`+written+`"`, program.needed
					if written == `""` {
						is = "not set"
					}
					if slices.Contains([]string{"frontend", "worker", "prefill", "decode", "planner", "epp"}, written) {
						remedy += ", for which a running graph has to be deleted and created again"
					}
					want = []string{fmt.Sprintf("is %s, although the %s runs %s, so its pods do not get the ports, probes and variables of %s; set it to %s", is, strings.TrimSuffix(g.Form.Key(), "s"), program.runs, program.lacks, remedy)}
				}
				var got []string
				for _, text := range warningsOf(g) {
					if _, detail, found := strings.Cut(text, "ype: "); found && strings.Contains(detail, ", although the ") {
						got = append(got, detail)
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s: %s, type %s: %s -want, +got:\n%s", name, g.Form.Key(), written, program.reason, diff)
				}
			}
		}
	}
}

func TestMisplacedMain(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"InContainers": {
			reason: "The main container of a service has a field of its own. Nothing else is said about it.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: null, containers: [{name: main, image: i, command: [serve]}]}}}}`,
			want:   []string{`spec.services[decode].extraPodSpec.containers[0].name: Invalid value: "main": must not contain the main container; move it to extraPodSpec.mainContainer`},
		},
	})
}

// TestPhases combines engines, the phases of two workers, and what tells an engine its phase. A worker that shall do one phase is told so, by no
// other flag of disaggregation, except that an engine of vLLM decodes without.
func TestPhases(t *testing.T) {
	flags := map[string]string{
		"": "", "--disaggregation-mode, prefill": "prefill", "--disaggregation-mode, decode": "decode", "--disaggregation-transfer-backend, nixl": "", "--disaggregation-bootstrap-port, \"1\"": "",
	}
	for _, engine := range []string{"vllm", "sglang", "trtllm"} {
		for _, phase := range []string{"prefill", "decode", ""} {
			for flag, told := range flags {
				if told != "" && phase != "" && told != phase {
					continue // Another test is about flags that contradict the type.
				}
				g, errs := decode(t, fmt.Sprintf(`spec: {backendFramework: %s, services: {
					decode: {subComponentType: %q, extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.%[1]s], args: [%[3]s]}}},
					other: {componentType: prefill, extraPodSpec: {mainContainer: {image: i, command: [serve], args: [--disaggregation-mode, prefill]}}}}}`, engine, phase, flag))
				if len(errs) > 0 {
					t.Fatal(errs)
				}
				isNeeded := told == "" && (phase == "prefill" || engine != "vllm")
				got := strings.Join(warningsOf(g), "\n")
				if strings.Contains(got, "do not tell dynamo."+engine) != isNeeded {
					t.Errorf("%s, phase %q, flags %q: want a warning %t, got %q", engine, phase, flag, isNeeded, got)
				}
				decodes := told != "prefill"
				if strings.Contains(got, "no request is ever answered") == decodes {
					t.Errorf("%s, phase %q, flags %q: want that something decodes %t, got %q", engine, phase, flag, decodes, got)
				}
			}
		}
	}
}

// TestNobodyDecodes has a graph whose only engine prefills.
func TestNobodyDecodes(t *testing.T) {
	const prefills = `decode: {componentType: prefill, extraPodSpec: {mainContainer: {args: [--disaggregation-mode, prefill]}}}`
	const want = "spec.services[decode]: is a prefill worker, but no service of the graph decodes, so no request is ever answered; add a worker that decodes"
	runWarnings(t, map[string]warningCase{
		"Alone":      {reason: "Nothing answers the requests of the frontend.", patch: `spec: {services: {` + prefills + `}}`, want: []string{want}},
		"Pool":       {reason: "A pool of prefill workers has its decode workers and its frontend in other graphs.", patch: `spec: {services: {Frontend: null, ` + prefills + `}}`},
		"Global":     {reason: "Workers of other graphs are found in the global namespace.", patch: `spec: {services: {Frontend: {globalDynamoNamespace: true}, ` + prefills + `}}`},
		"Unknown":    {reason: "A component of another type may decode.", patch: `spec: {services: {Router: {componentType: router, extraPodSpec: {mainContainer: {image: i, command: [serve]}}}, ` + prefills + `}}`},
		"Told":       {reason: "What an engine is told counts, whatever its type.", patch: `spec: {services: {decode: {extraPodSpec: {mainContainer: {args: [--disaggregation-mode, prefill]}}}}}`, want: []string{want}},
		"ToldInPart": {reason: "A variable in the flag may be anything.", patch: `spec: {services: {decode: {extraPodSpec: {mainContainer: {command: [sh, -c, python3 -m dynamo.vllm --disaggregation-mode $MODE], args: null}}}}}`},
	})
}

// TestLockedMemory combines names of resources, the lists they are in, and what a container may do.
func TestLockedMemory(t *testing.T) {
	isRDMA := map[string]bool{"rdma/ib": true, "rdma/hca_shared_devices_a": true, "example.com/roce_rdma": true, "vpc.amazonaws.com/efa": false, "example.com/fpga": false, "nvidia.com/mig-1g.10gb": false}
	may := map[string]bool{"": false, "capabilities: {add: [IPC_LOCK]}": true, "capabilities: {add: [CAP_IPC_LOCK]}": true, "capabilities: {add: [ALL]}": true, "privileged: true": true, "capabilities: {add: [NET_ADMIN]}": false, "privileged: false": false}
	places := map[string]string{
		"short": `resources: {limits: {gpu: 8, custom: {%s: 1}}}, extraPodSpec: {mainContainer: {securityContext: {%s}}}`,
		"main":  `extraPodSpec: {mainContainer: {resources: {limits: {%s: 1}}, securityContext: {%s}}}`,
		"other": `extraPodSpec: {containers: [{name: x, image: i, resources: {limits: {%s: 1}}, securityContext: {%s}}]}`,
	}
	for name, rdma := range isRDMA {
		for context, allowed := range may {
			for place, patch := range places {
				g, errs := decode(t, `spec: {services: {decode: {`+fmt.Sprintf(patch, name, context)+`}}}`)
				if len(errs) > 0 {
					t.Fatal(errs)
				}
				got := strings.Join(warningsOf(g), "\n")
				if wanted := rdma && !allowed; strings.Contains(got, "IPC_LOCK") != wanted || wanted && !strings.Contains(got, name) {
					t.Errorf("%s in %s with %q: want a warning %t, got %q", name, place, context, wanted, got)
				}
			}
		}
	}
}
