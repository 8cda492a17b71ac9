package runtime

import (
	"slices"
	"testing"
)

// TestHas shows the releases between which each rule changes.
func TestHas(t *testing.T) {
	cases := map[string]struct {
		reason    string
		rule      Rule
		has, lack []Version
	}{
		"CompilationCacheDefault": {
			reason: "Engines are told the default path of the compilation cache since 1.2.0.",
			rule:   CompilationCacheDefault, has: []Version{"1.2.0", "1.4.0", "", "2.0.0"}, lack: []Version{"0.9.0", "1.1.1"},
		},
		"ComponentClass": {
			reason: "Workers have their class as a label since 1.2.0.",
			rule:   ComponentClass, has: []Version{"1.2.0", "1.4.0", "", "2.0.0"}, lack: []Version{"0.9.0", "1.1.1"},
		},
		"EPPLongFlags": {
			reason: "The Endpoint Picker parses flags in another way since 1.2.0.",
			rule:   EPPLongFlags, has: []Version{"1.2.0", "1.4.0", "", "2.0.0"}, lack: []Version{"0.9.0", "1.1.1"},
		},
		"EPPInfoLog": {
			reason: "The Endpoint Picker logs less since 1.4.0.",
			rule:   EPPInfoLog, has: []Version{"1.4.0", "", "2.0.0"}, lack: []Version{"0.9.0", "1.3.1"},
		},
		"ForwardPassMetrics": {
			reason: "Workers publish metrics of each step on a port since 1.2.0.",
			rule:   ForwardPassMetrics, has: []Version{"1.2.0", "1.4.0", "", "2.0.0"}, lack: []Version{"0.9.0", "1.1.1"},
		},
		"FrontendSidecarMounts": {
			reason: "Frontend sidecars read the model of their worker since 1.2.0.",
			rule:   FrontendSidecarMounts, has: []Version{"1.2.0", "1.4.0", "", "2.0.0"}, lack: []Version{"0.9.0", "1.1.1"},
		},
		"GPUMemoryReadyFile": {
			reason: "Servers of the GPU memory service write the file before 1.3.0.",
			rule:   GPUMemoryReadyFile, has: []Version{"0.9.0", "1.1.0", "1.2.1"}, lack: []Version{"1.3.0", "1.4.0", "", "2.0.0"},
		},
		"PlannerComponents": {
			reason: "Planners read the second version of the API since 1.3.0.",
			rule:   PlannerComponents, has: []Version{"1.3.0", "", "2.0.0"}, lack: []Version{"0.9.0", "1.2.1"},
		},
		"RuntimeContainer": {
			reason: "The runtime can run beside its engine since 1.6.0, and an image that does not say its release says nothing about it.",
			rule:   RuntimeContainer, has: []Version{"1.6.0", "2.0.0"}, lack: []Version{"1.5.1", ""},
		},
		"TRTLLMCompilerPaths": {
			reason: "TensorRT-LLM compiles kernels on all nodes since 1.4.0.",
			rule:   TRTLLMCompilerPaths, has: []Version{"1.4.0", "", "2.0.0"}, lack: []Version{"0.9.0", "1.3.1"},
		},
		"PhaseTypes": {
			reason: "Workers for one phase have it as their type since 1.2.0.",
			rule:   PhaseTypes, has: []Version{"1.2.0", "1.4.0", "", "2.0.0"}, lack: []Version{"0.9.0", "1.1.1"},
		},
		"VLLMProcesses": {
			reason: "The processes of vLLM span nodes since 1.0.0.",
			rule:   VLLMProcesses, has: []Version{"1.0.0", "1.4.2", "", "2.0.0"}, lack: []Version{"0.7.0", "0.9.1"},
		},
		"VLLMRay": {
			reason: "Images contain Ray before 1.3.0.",
			rule:   VLLMRay, has: []Version{"0.7.0", "1.0.0", "1.2.1"}, lack: []Version{"1.3.0", "1.4.2", "", "2.0.0"},
		},
		"Unknown": {
			reason: "No release has a rule that is not in the table.",
			rule:   "Unknown", lack: []Version{"1.1.0", ""},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, v := range tc.has {
				if !v.Has(tc.rule) {
					t.Errorf("%s\n%s has no %s", tc.reason, v, tc.rule)
				}
			}
			for _, v := range tc.lack {
				if v.Has(tc.rule) {
					t.Errorf("%s\n%s has %s", tc.reason, v, tc.rule)
				}
			}
		})
	}
}

// TestChanges checks the entries of the table.
func TestChanges(t *testing.T) {
	seen := map[Rule]bool{}
	at := func(c Change) Version { return max(c.From, c.Until) }
	for _, c := range Changes() {
		if seen[c.Rule] {
			t.Errorf("%s has two entries.", c.Rule)
		}
		seen[c.Rule] = true
		if (c.From == "") == (c.Until == "") {
			t.Errorf("%s must have one of From and Until.", c.Rule)
		}
		if v, err := Parse(string(at(c))); err != nil || v != at(c) || v.Compare(Newest) > 0 {
			t.Errorf("%s changes in %q, which is not a release up to %s.", c.Rule, at(c), Newest)
		}
		if c.Pods == "" || c.Effect == "" || (c.Source == 0) == (c.File == "") {
			t.Errorf("%s has no description or no source.", c.Rule)
		}
	}
	if !slices.IsSortedFunc(Changes(), func(a, b Change) int { return at(a).Compare(at(b)) }) {
		t.Error("The changes are not in the order of the releases.")
	}
}
