package backend

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

func TestLoadFromWeightServer(t *testing.T) {
	const unseen = "the command does not show where vLLM starts, so --load-format gms is not added, and each engine loads its own weights; " +
		"run the module from command or from the script of sh -c, or pass the flag yourself"
	type want struct {
		Command, Args, Warnings []string
	}
	python := []string{"python3", "-m", "dynamo.vllm"}
	shell := []string{"/bin/sh", "-c"}
	cases := map[string]struct {
		reason        string
		command, args []string
		own           bool
		want          want
	}{
		"Added":   {reason: "The engine takes its weights from the server.", command: python, args: []string{"--model", "m"}, want: want{Command: python, Args: []string{"--model", "m", "--load-format", "gms"}}},
		"Given":   {reason: "The user may have written it.", command: python, args: []string{"--load-format", "gms"}, want: want{Command: python, Args: []string{"--load-format", "gms"}}},
		"Equals":  {reason: "The user may have written it in another way.", command: python, args: []string{"--load_format=gms"}, want: want{Command: python, Args: []string{"--load_format=gms"}}},
		"Other":   {reason: "Of two formats the last one counts.", command: python, args: []string{"--load-format", "auto"}, want: want{Command: python, Args: []string{"--load-format", "auto", "--load-format", "gms"}}},
		"Script":  {reason: "The flag belongs to the engine in a script.", command: shell, args: []string{"exec python3 -m dynamo.vllm --model m"}, want: want{Command: shell, Args: []string{"exec python3 -m dynamo.vllm --load-format gms --model m"}}},
		"Unseen":  {reason: "Nothing is added to a program that may not be the engine.", command: []string{"/start.sh"}, want: want{Command: []string{"/start.sh"}, Warnings: []string{unseen}}},
		"OwnOnes": {reason: "Other engines load their own weights.", command: python, args: []string{"--model", "m"}, own: true, want: want{Command: python, Args: []string{"--model", "m"}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &corev1.Container{Command: tc.command, Args: tc.args}
			warnings := ConfigureContainer(c, Settings{Framework: "vllm", Role: RoleMain, NodeCount: 1, FromWeightServer: !tc.own})
			if diff := cmp.Diff(tc.want, want{c.Command, c.Args, textsOf(warnings)}); diff != "" {
				t.Errorf("%s\nConfigureContainer(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRankHosts(t *testing.T) {
	h := RankHosts{Component: "w", Rank: 2}
	host := func(clique string) Expression {
		return Expression{
			Argument: "$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-w-" + clique + "-$(GROVE_PCLQ_POD_INDEX).$(GROVE_HEADLESS_SERVICE)",
			Shell:    "${GROVE_PCSG_NAME}-${GROVE_PCSG_INDEX}-w-" + clique + "-${GROVE_PCLQ_POD_INDEX}.${GROVE_HEADLESS_SERVICE}",
		}
	}
	if diff := cmp.Diff([]Expression{host("ldr"), host("wkr-1"), host("wkr-2")}, h.All(3)); diff != "" {
		t.Errorf("Pods with the same number form an engine: All(3): -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(Expression{Argument: "2", Shell: "2"}, h.WorkerRank()); diff != "" {
		t.Errorf("Each node knows its rank: WorkerRank(): -want, +got:\n%s", diff)
	}
	if h.AwaitNames() {
		t.Error("AwaitNames(): want false: workers wait for the port of their leader")
	}
}
