package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// recorded is the folder with clusters that were recorded.
const recorded = "tool/why/testdata/"

func explained(t *testing.T, args ...string) end {
	t.Helper()
	return ended(t, "", append([]string{"why"}, args...)...)
}

func TestWhy(t *testing.T) {
	const of = "--namespace=inference"
	cases := map[string]struct {
		reason string
		file   string
		args   []string
		code   int
		// out and err are parts of what is printed.
		out, err string
	}{
		"Ready":    {reason: "A graph that is ready is fine.", file: "ready.yaml", args: []string{"llama", of}, out: "inference/llama is ready\n"},
		"NotReady": {reason: "A graph that is not ready fails a script.", file: "crash.yaml", args: []string{"dgd/image-deployments-crashing", of}, code: exitRefused, out: "container main crashed with exit code 1, and was restarted once. [Crash]\nNext:  kubectl logs "},
		"Logs":     {reason: "Logs are shown if they are asked for.", file: "crash.yaml", args: []string{"image-deployments-crashing", of, "--logs"}, code: exitRefused, out: "  | RuntimeError: out of luck\n"},
		"JSON":     {reason: "Other programs read JSON.", file: "crash.yaml", args: []string{"image-deployments-crashing", of, "--output=json"}, code: exitRefused, out: `"code": "Crash"`},
		"Flags":    {reason: "The next command is for the same cluster.", file: "crash.yaml", args: []string{"image-deployments-crashing", of, "--context=prod", "--kubeconfig=my config"}, code: exitRefused, out: "Next:  kubectl '--kubeconfig=my config' --context=prod logs "},
		"Missing":  {reason: "A graph that does not exist is a mistake.", file: "ready.yaml", args: []string{"missing", of}, code: exitUsage, err: "there is no DynamoGraphDeployment missing in namespace inference\n"},
		"Context":  {reason: "The namespace is that of the context, as with kubectl.", file: "ready.yaml", args: []string{"missing"}, code: exitUsage, err: "in namespace from-context\n"},
		"Cluster":  {reason: "A cluster that cannot be reached is not taken for an empty one.", file: "ready.yaml", args: []string{"unreachable", of}, code: exitUsage, err: "localhost:8080 was refused"},
		"Kind":     {reason: "Other kinds are none of its business.", file: "ready.yaml", args: []string{"pod/llama", of}, code: exitUsage, err: "pod/llama is no graph: expected NAME or dgd/NAME"},
		"NoName":   {reason: "A graph has a name.", file: "ready.yaml", args: []string{"dgd/", of}, code: exitUsage, err: `"" is not the name of a graph`},
		"All":      {reason: "All graphs of a cluster take a line each.", file: "crash.yaml", args: []string{"-A"}, code: exitRefused, out: " is not ready [Crash]: Pod "},
		"AllReady": {reason: "A script can tell that all graphs are ready.", file: "ready.yaml", args: []string{"--all-namespaces"}, out: "inference/llama is ready\n"},
		"AllAlone": {reason: "All graphs and one of them do not go together.", file: "ready.yaml", args: []string{"llama", "-A"}, code: exitUsage, err: "leave out the name"},
		"AllLost":  {reason: "A cluster that cannot be reached is no cluster without graphs.", file: "ready.yaml", args: []string{"-A", "--context=unreachable"}, code: exitUsage, err: "localhost:8080 was refused"},
		"Nothing":  {reason: "A name may be left out only if all graphs are asked for.", file: "ready.yaml", args: []string{of}, code: exitUsage, err: "expected the name of a graph, or --all-namespaces"},
		"Watch":    {reason: "Progress is for people.", file: "ready.yaml", args: []string{"llama", of, "--watch", "-o", "json"}, code: exitUsage, err: "--watch shows progress as text"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			c.put(t, harness.Read(t, recorded+tc.file)...)
			got := explained(t, tc.args...)
			if got.code != tc.code || !strings.Contains(got.out, tc.out) || !strings.Contains(got.err, tc.err) || tc.err == "" && got.err != "" {
				t.Errorf("%s\nwant exit status %d, %q and %q, got %d, %q and %q", tc.reason, tc.code, tc.out, tc.err, got.code, got.out, got.err)
			}
			if _, err := os.Stat(filepath.Join(c.folder, "log")); err == nil {
				readOnly(t, c, slices.Contains(tc.args, "--logs"))
			}
		})
	}
}

// readOnly checks that a cluster was only read, and nothing in it that is secret. Logs may be read if they are asked for.
func readOnly(t *testing.T, c *cluster, logs bool) {
	t.Helper()
	for _, line := range c.asked(t) {
		words := slices.DeleteFunc(strings.Fields(line), func(word string) bool {
			return strings.HasPrefix(word, "--kubeconfig=") || strings.HasPrefix(word, "--context=") || word == "config" && strings.HasPrefix(line, "--kubeconfig=")
		})
		allowed := words[0] == "get" || words[0] == "config" && words[1] == "view" || words[0] == "logs" && logs
		if !allowed || strings.Contains(line, "Secret") {
			t.Errorf("kubectl was asked: %s", line)
		}
	}
}

// TestWhyWatch follows a graph until it is ready. A cluster that cannot be read in between does not end it.
func TestWhyWatch(t *testing.T) {
	c := newCluster(t)
	for _, file := range []string{"leader.yaml", "leader.yaml", "ready.yaml"} {
		c.next(t, harness.Read(t, recorded+file)...)
	}
	var out, stderr bytes.Buffer
	command := whyCommand{Graph: "llama", Namespace: "inference", Output: output.FormatText, Watch: true, Interval: time.Millisecond}
	if err := command.Run(t.Context(), streams{out: output.To(&out), err: output.To(&stderr)}); err != nil {
		t.Fatal(err)
	}
	want := "Decode: 0 of 2 pods are ready; llama-0-decode-0-decode-ldr-abcde: container main ran out of memory (OOMKilled, exit code 137), and was restarted 4 times\n" +
		"Frontend: 1 of 1 pods are ready\n"
	if got := out.String(); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "inference/llama is ready\n") || strings.Count(got, "\n") != 4 {
		t.Errorf("want %q, the cause, and that it is ready, got %q", want, got)
	}
	readOnly(t, c, false)
}

// TestWhyWatchFails checks that only a graph that was there before is waited for.
func TestWhyWatchFails(t *testing.T) {
	newCluster(t).put(t, harness.Read(t, recorded+"ready.yaml")...)
	if got := explained(t, "missing", "--namespace=inference", "--watch"); got.code != exitUsage || !strings.Contains(got.err, "there is no DynamoGraphDeployment missing") {
		t.Errorf("want an error, got %d and %q", got.code, got.err)
	}
}
