package validate_test

import "testing"

func TestCommands(t *testing.T) {
	const main = "spec.services[decode].extraPodSpec.mainContainer."
	runWarnings(t, map[string]warningCase{
		"Program": {
			reason: "Args that begin with a program need an entry point that runs them.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {command: null, args: [python3, -m, dynamo.vllm]}}}}}`,
			want: []string{main + "args: begin with the program python3, and there is no command, so the entry point of the image runs them; " +
				"to run them with every image, move the program and its arguments to command"},
		},
		"ProgramOfFrontend": {
			reason: "Python, which is the default command of frontends, cannot run another program.",
			patch:  `spec: {services: {Frontend: {extraPodSpec: {mainContainer: {args: [python3, -m, dynamo.frontend]}}}}}`,
			want: []string{"spec.services[Frontend].extraPodSpec.mainContainer.args: begin with the program python3, and there is no command, so the entry point of the image runs them; " +
				"to run them with every image, move the program and its arguments to command"},
		},
		"ProgramOfSidecar": {
			reason: "The frontend beside a worker has no field for a command.",
			patch:  `spec: {services: {decode: {frontendSidecar: {image: i, args: [python3, -m, dynamo.frontend]}}}}`,
			want:   []string{"spec.services[decode].frontendSidecar.args: begin with the program python3, so the entry point of the image runs them; write only the flags of dynamo.frontend to run it with every image"},
		},
		"FlagsOfSidecar": {
			reason: "Flags are those of the frontend.",
			patch:  `spec: {services: {decode: {frontendSidecar: {image: i, args: [--http-port, "8000"]}}}}`,
		},
		"Script": {
			reason: "The default command is a shell, which runs a script.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {command: null, args: [python3 -m dynamo.vllm --model x]}}}}}`,
		},
		"ScriptAndArguments": {
			reason: "A shell does not add arguments to its script.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {command: null, args: [python3 -m dynamo.vllm, --model, x]}}}}}`,
			want: []string{main + "args[0]: is all that the shell runs: the arguments after it (2) are parameters of this script, which does not use them; " +
				"write the whole command as one string, or set command, because without it, args are a script for /bin/sh -c"},
		},
		"Shell": {
			reason: "A shell that the user writes takes the program for its script.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {command: [/bin/sh, -c], args: [python3, -m, dynamo.vllm]}}}}}`,
			want: []string{main + "args[0]: is all that the shell runs: the arguments after it (2) are parameters of this script, which does not use them; " +
				"write the whole command as one string, or remove the shell from command"},
		},
		"ShellInCommand": {
			reason: "The script can be in command.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {command: [sh, -c, python3 -m dynamo.vllm], args: [--model, x]}}}}}`,
			want: []string{main + "command[2]: is all that the shell runs: the arguments after it (2) are parameters of this script, which does not use them; " +
				"write the whole command as one string, or remove the shell from command"},
		},
		"OneString": {
			reason: "Python takes the text for the name of a module.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {command: [python3], args: [-m dynamo.vllm --model x]}}}}}`,
			want:   []string{main + "args[0]: is a single argument although it contains blanks, because no shell splits it; write each word as an item of its own"},
		},
		"OneStringOfFrontend": {
			reason: "The default command of frontends is no shell.",
			patch:  `spec: {services: {Frontend: {extraPodSpec: {mainContainer: {args: [-m dynamo.frontend --http-port 8000]}}}}}`,
			want: []string{"spec.services[Frontend].extraPodSpec.mainContainer.args[0]: is a single argument although it contains blanks, " +
				"because no shell splits it; write each word as an item of its own"},
		},
		"OneStringOfFlags": {
			reason: "The default command of an engine is no shell.",
			patch:  `spec: {backendFramework: vllm, services: {decode: {extraPodSpec: {mainContainer: {command: null, args: [--model x]}}}}}`,
			want:   []string{main + "args[0]: is a single argument although it contains blanks, because no shell splits it; write each word as an item of its own"},
		},
		"Beside": {
			reason: "All containers are checked, but what the entry point of another image does with args is not known.",
			patch: `spec: {services: {decode: {extraPodSpec: {
				containers: [{name: a, image: i, command: [main --x]}, {name: b, image: i, args: [main, --x y]}], initContainers: [{name: c, image: i, command: [sh, -c, cp, a, b]}]}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.containers[0].command[0]: is a single argument although it contains blanks, because no shell splits it; write each word as an item of its own",
				"spec.services[decode].extraPodSpec.initContainers[0].command[2]: is all that the shell runs: the arguments after it (2) are parameters of this script, which does not use them; " +
					"write the whole command as one string, or remove the shell from command",
			},
		},
	})
}
