package backend

import "testing"

func TestComponentType(t *testing.T) {
	cases := map[string]struct {
		reason string
		argv   []string
		want   [2]string
	}{
		"Frontend":    {"A module says the type.", []string{"python3", "-m", "dynamo.frontend"}, [2]string{"frontend", "dynamo.frontend"}},
		"Arguments":   {"Python can be the default command.", []string{"-m", "dynamo.planner"}, [2]string{"planner", "dynamo.planner"}},
		"Submodule":   {"Planners have been a module of their package.", []string{"python3", "-m", "dynamo.planner.planner_sla"}, [2]string{"planner", "dynamo.planner.planner_sla"}},
		"Prometheus":  {"The Prometheus of a planner is none.", []string{"python3", "-m", "dynamo.planner.prometheus"}, [2]string{}},
		"Engine":      {"Engines are workers.", []string{"sh", "-c", "exec python3 -m dynamo.trtllm"}, [2]string{"worker", "dynamo.trtllm"}},
		"Mocker":      {"So is what simulates one.", []string{"python3", "-m", "dynamo.mocker"}, [2]string{"worker", "dynamo.mocker"}},
		"Tool":        {"What a script calls first is not its program.", []string{"sh", "-c", "python3 -m dynamo.sglang.utils.clear_namespace && python3 -m dynamo.frontend"}, [2]string{"frontend", "dynamo.frontend"}},
		"Comment":     {"A comment runs nothing.", []string{"sh", "-c", "# python3 -m dynamo.vllm\npython3 -m dynamo.frontend"}, [2]string{"frontend", "dynamo.frontend"}},
		"Alike":       {"Two workers are one type.", []string{"sh", "-c", "python3 -m dynamo.vllm & python3 -m dynamo.sglang"}, [2]string{"worker", "dynamo.vllm"}},
		"Both":        {"Two types are none.", []string{"sh", "-c", "python3 -m dynamo.vllm & python3 -m dynamo.frontend"}, [2]string{}},
		"Picker":      {"Only a picker is told a pool.", []string{"/epp", "-pool-name", "a"}, [2]string{"epp", "an Endpoint Picker"}},
		"PickerValue": {"A flag can contain its value.", []string{"/epp", "--pool-name=a"}, [2]string{"epp", "an Endpoint Picker"}},
		"Router":      {"Other programs of Dynamo have no type.", []string{"python3", "-m", "dynamo.router"}, [2]string{}},
		"Other":       {"Neither have programs of users.", []string{"serve", "pool-name"}, [2]string{}},
		"Nothing":     {"What is not named runs nothing that is known.", nil, [2]string{}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			componentType, program := (&Texts{}).ComponentType(tc.argv)
			if got := [2]string{componentType, program}; got != tc.want {
				t.Errorf("%s: %q: want %q, got %q", tc.reason, tc.argv, tc.want, got)
			}
		})
	}
}
