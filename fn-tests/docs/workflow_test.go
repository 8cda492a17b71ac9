package docs

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/page"
)

// diffAction is the folder of the action that comments on a pull request.
const diffAction = ".github/actions/diff"

// forge is what the action calls as gh: it writes down each request, and has a comment once one was written.
const forge = `#!/bin/bash
echo "$*" >>"$GH_LOG"
for argument; do
  if [[ $argument == body=@* ]]; then cp "${argument#body=@}" "$GH_LOG.comment"; exit; fi
done
if [[ -e $GH_LOG.comment ]] && head -n 1 "$GH_LOG.comment" | grep -qF "$MARKER"; then echo 77; fi
`

// compiler is what the action calls as go to build the command line. Linking it for every job would take most of the time of the test.
const compiler = `#!/bin/bash
[[ $1 == build && $2 == -C && -f $3/cmd/dgd/main.go && $4 == -o && $6 == ./cmd/dgd && $# == 6 ]] && cp "$DGD" "$5"
`

// action is an action, as far as it is tested here.
type action struct {
	Inputs map[string]struct {
		Default string `json:"default"`
	} `json:"inputs"`
	Runs struct {
		Steps []struct {
			Run string            `json:"run"`
			Env map[string]string `json:"env"`
		} `json:"steps"`
	} `json:"runs"`
}

func readAction(t *testing.T) action {
	t.Helper()
	var a action
	if err := yaml.Unmarshal(harness.File(t, filepath.Join(diffAction, "action.yaml")), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// A request is a pull request in a repository.
type request struct {
	// reason, and the graphs before and after it by their files. The action reads folder deploy.
	reason        string
	before, after map[string]string
	// inputs of the action in place of their defaults.
	inputs map[string]string
	// fork says that it comes from one.
	fork bool

	// want of the comment and of the summary of the job. Empty: there is no comment.
	want string
	// status of the job.
	status int
	// first and again are the requests to the forge, in the first run and in the next one.
	first, again []string
}

const (
	lookedUp = "api repos/o/r/issues/7/comments --paginate"
	created  = "api --silent repos/o/r/issues/7/comments"
	changed  = "api --silent --method PATCH repos/o/r/issues/comments/77"
)

// requests to the forge that write a comment, and that change it.
func writing() []string  { return []string{lookedUp, created} }
func changing() []string { return []string{lookedUp, changed} }

func requests(t *testing.T) map[string]request {
	t.Helper()
	graph := string(harness.File(t, filepath.Join("examples", "agg-vllm.yaml")))
	scaled := strings.Replace(graph, "replicas: 2", "replicas: 3", 1)
	annotated := strings.Replace(graph, "podTemplate:\n", "podTemplate:\n        metadata:\n          annotations: {example.org/a: "+strings.Repeat("a", 70000)+"}\n", 1)
	in := func(path, text string) map[string]string { return map[string]string{path: text} }
	repository := inGitOps(t)
	with := func(path, old, replacement string) map[string]string {
		changed := maps.Clone(repository)
		changed[path] = strings.Replace(changed[path], old, replacement, 1)
		return changed
	}
	production := map[string]string{"path": "graphs/prod"}
	return map[string]request{
		"Changed": {
			reason: "A change is compared with what the branch began with.",
			before: in("deploy/graph.yaml", graph), after: in("deploy/graph.yaml", scaled),
			want: "Worker**: 2 → 3 replicas, no pod restarts", first: writing(), again: changing(),
		},
		"First": {
			reason: "Without graphs on the base branch, everything is new.", after: in("deploy/graph.yaml", graph),
			want: "1 graph compared: 1 created", first: writing(), again: changing(),
		},
		"Last": {
			reason: "Without graphs afterwards, everything is deleted.", before: in("deploy/graph.yaml", graph),
			want: "1 graph compared: 1 deleted", first: writing(), again: changing(),
		},
		"Refused": {
			reason: "The job fails after it has said why.",
			before: in("deploy/graph.yaml", graph), after: in("deploy/graph.yaml", strings.Replace(graph, "- -m", "- 1", 1)),
			want: "is refused", status: 1, first: writing(), again: changing(),
		},
		"Nothing": {
			reason: "Who changes no graph gets no comment.",
			before: in("deploy/graph.yaml", graph), after: in("deploy/graph.yaml", "# A comment.\n"+graph),
			want: "", first: []string{lookedUp}, again: []string{lookedUp},
		},
		"NoGraphs": {
			reason: "A path without graphs is a mistake.", before: in("text", "a"), after: in("text", "b"), status: 2,
		},
		"Fork": {
			reason: "The token of a fork may not write.", after: in("deploy/graph.yaml", graph), fork: true,
		},
		"Folders": {
			reason: "Folders in the folder are read if that is asked for.", after: in("deploy/team a/graph.yaml", graph),
			inputs: map[string]string{"recursive": "true"}, want: "1 graph compared: 1 created", first: writing(), again: changing(),
		},
		"Overlay": {
			reason: "A folder with a kustomization is built, and compared as it is applied.",
			before: repository, after: with("graphs/prod/replicas.yaml", "value: 4", "value: 6"), inputs: production,
			want: "Decode**: 4 → 6 replicas, no pod restarts", first: writing(), again: changing(),
		},
		"BrokenOverlay": {
			reason: "A mistake in an overlay is found, although the base is valid.",
			before: repository, after: with("graphs/prod/replicas.yaml", "value: 4", "value: four"), inputs: production,
			want: "is refused", status: 1, first: writing(), again: changing(),
		},
		"BaseUnderOverlay": {
			reason: "A change of the base is one of each environment.",
			before: repository, after: with("graphs/base/chat.yaml", "Qwen/Qwen3-32B", "Qwen/Qwen3-14B"), inputs: production,
			want: "all 4 pods restart (args)", first: writing(), again: changing(),
		},
		"BrokenKustomization": {
			reason: "What cannot be built is not compared.",
			before: repository, after: with("graphs/prod/replicas.yaml", "name, value: Decode", "name, value: Worker"), inputs: production, status: 2,
		},
		"Inputs": {
			reason: "Inputs are words, whatever they contain.", after: in("$(touch x) deploy/graph.yaml", graph),
			inputs: map[string]string{"path": "$(touch x) deploy", "cluster": "none"}, want: "1 graph compared: 1 created", first: writing(), again: changing(),
		},
		"Long": {
			reason: "A forge takes no comment with more than 65536 characters, so fields are left out of a longer one.",
			before: in("deploy/graph.yaml", graph), after: in("deploy/graph.yaml", annotated),
			want: "Frontend**: its pod restarts", first: writing(), again: changing(),
		},
		"Policy": {
			reason: "The input of step plan is that of the platform, so a mistake in it shows.", after: map[string]string{"deploy/graph.yaml": graph, "policy.yaml": "requireQueue: perhaps\n"},
			inputs: map[string]string{"input": "policy.yaml"}, want: "is refused", status: 1, first: writing(), again: changing(),
		},
	}
}

// TestDiffAction runs the steps of the action for pull requests, twice, as after another push.
func TestDiffAction(t *testing.T) {
	harness.WatchSources(t)
	for name, r := range requests(t) {
		t.Run(name, func(t *testing.T) {
			job := newJob(t, &r)
			for i, want := range [][]string{r.first, r.again} {
				if status := job.run(t); status != r.status {
					t.Fatalf("%s\nrun %d: want exit status %d, got %d:\n%s", r.reason, i+1, r.status, status, job.output.String())
				}
				if diff := cmp.Diff(want, job.requests(t)); diff != "" {
					t.Errorf("%s\nrun %d: requests: -want, +got:\n%s", r.reason, i+1, diff)
				}
			}
			if r.status == 2 {
				return
			}
			if summary := string(harness.File(t, job.variables["GITHUB_STEP_SUMMARY"])); !strings.Contains(summary, r.want) || !strings.Contains(summary, "1 graph compared") {
				t.Errorf("%s\nsummary: want %q, got\n%s", r.reason, r.want, summary)
			}
			if r.want == "" {
				return
			}
			marker := fmt.Sprintf("<!-- configuration-dynamo diff %s %s -->\n", job.inputs["path"], job.inputs["cluster"])
			if got := string(harness.File(t, job.variables["GH_LOG"]+".comment")); !strings.HasPrefix(got, marker) || !strings.Contains(got, r.want) || len(got) > 65536 {
				t.Errorf("%s\ncomment: want %q and then %q, got\n%s", r.reason, marker, r.want, got)
			}
			if left := job.shell(t, "git status --porcelain && git worktree list | tail -n +2"); left != "" {
				t.Errorf("%s\nwant nothing left in the repository, got\n%s", r.reason, left)
			}
		})
	}
}

// A job that runs the action.
type job struct {
	action    action
	folder    string
	inputs    map[string]string
	variables map[string]string
	output    bytes.Buffer
}

// newJob in a repository with a pull request.
func newJob(t *testing.T, r *request) *job {
	t.Helper()
	j := &job{action: readAction(t), folder: filepath.Join(t.TempDir(), "repository"), inputs: map[string]string{}}
	for name, input := range j.action.Inputs {
		j.inputs[name] = input.Default
	}
	maps.Copy(j.inputs, r.inputs)
	runner := t.TempDir()
	j.variables = map[string]string{
		"PATH": filepath.Join(runner, "bin") + ":" + os.Getenv("PATH"), "GH_LOG": filepath.Join(runner, "log"), "RUNNER_TEMP": filepath.Join(runner, "temp"),
		"GITHUB_ACTION_PATH": filepath.Join(harness.Root(), diffAction), "GITHUB_STEP_SUMMARY": filepath.Join(runner, "summary"),
		"GITHUB_BASE_REF": "main", "GITHUB_REPOSITORY": "o/r", "DGD": harness.New(t).Path(t),
	}
	j.inputs["token"] = "token"
	j.variables["fork"] = strconv.FormatBool(r.fork)
	write(t, filepath.Join(runner, "bin", "gh"), []byte(forge))
	write(t, filepath.Join(runner, "bin", "go"), []byte(compiler))

	write(t, filepath.Join(j.folder, "README.md"), []byte("A repository.\n"))
	j.shell(t, "git init --quiet --initial-branch=main")
	j.commit(t, r.before)
	j.shell(t, "git update-ref refs/remotes/origin/main HEAD && git checkout --quiet -b change && git rm -r --quiet --ignore-unmatch deploy")
	j.commit(t, r.after)
	// What others do on the base branch meanwhile is not a part of the change.
	j.shell(t, "git checkout --quiet main && git rm -r --quiet --ignore-unmatch deploy")
	j.commit(t, map[string]string{"other": "a"})
	j.shell(t, "git update-ref refs/remotes/origin/main HEAD && git checkout --quiet change")
	return j
}

// commit files.
func (j *job) commit(t *testing.T, files map[string]string) {
	t.Helper()
	for path, text := range files {
		write(t, filepath.Join(j.folder, path), []byte(text))
	}
	j.shell(t, "git add --all && git -c user.name=a -c user.email=a@example.org commit --quiet --allow-empty --message=a")
}

// shell runs a script in the repository, and returns what it prints.
func (j *job) shell(t *testing.T, script string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-e", "-o", "pipefail", "-c", script)
	cmd.Dir = j.folder
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s\n%v\n%s", script, err, out)
	}
	return string(out)
}

// run the steps of the action up to the first that fails, and return its status.
func (j *job) run(t *testing.T) int {
	t.Helper()
	j.output.Reset()
	for _, step := range j.action.Runs.Steps {
		if step.Run == "" {
			continue
		}
		cmd := exec.CommandContext(t.Context(), "bash", "-e", "-o", "pipefail", "-c", step.Run)
		cmd.Dir, cmd.Env = j.folder, os.Environ()
		cmd.Stdout, cmd.Stderr = &j.output, &j.output
		for name, value := range j.variables {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		for name, expression := range step.Env {
			cmd.Env = append(cmd.Env, name+"="+j.value(t, expression))
		}
		var failed *exec.ExitError
		if err := cmd.Run(); errors.As(err, &failed) {
			return failed.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
	}
	return 0
}

// value of an expression of the action.
func (j *job) value(t *testing.T, expression string) string {
	t.Helper()
	name := strings.TrimSuffix(strings.TrimPrefix(expression, "${{ "), " }}")
	switch input, isInput := strings.CutPrefix(name, "inputs."); {
	case isInput:
		value, ok := j.inputs[input]
		if !ok {
			t.Fatalf("the action has no input %s", input)
		}
		return value
	case name == "github.event.pull_request.number":
		return "7"
	case name == "github.event.pull_request.head.repo.fork":
		return j.variables["fork"]
	}
	t.Fatalf("the value of %s is not known", expression)
	return ""
}

// requests to the forge since the last call: what is asked for, without the comment and without what is searched for in an answer.
func (j *job) requests(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile(j.variables["GH_LOG"])
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(j.variables["GH_LOG"]); err != nil {
		t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), " --jq ")
		line, _, _ = strings.Cut(line, " --field ")
		all = append(all, line)
	}
	return all
}

// TestCommentWorkflow holds the workflow on the page to the action: it exists, has the inputs, and the job has the permissions that it needs.
func TestCommentWorkflow(t *testing.T) {
	all := blocks(t)
	i := slices.IndexFunc(all, func(b page.Block) bool { return strings.Contains(b.Text, diffAction) })
	if i < 0 {
		t.Fatal("no page has the workflow")
	}
	var workflow struct {
		Permissions map[string]string `json:"permissions"`
		Jobs        map[string]struct {
			Steps []struct {
				Uses string         `json:"uses"`
				With map[string]any `json:"with"`
			} `json:"steps"`
		} `json:"jobs"`
	}
	if err := yaml.Unmarshal([]byte(all[i].Text), &workflow); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"contents": "read", "pull-requests": "write"}, workflow.Permissions); diff != "" {
		t.Errorf("permissions: -want, +got:\n%s", diff)
	}
	steps := workflow.Jobs["diff"].Steps
	if len(steps) != 2 {
		t.Fatalf("want a checkout and the action, got %v", steps)
	}
	// The action compares with a commit of the base branch.
	if diff := cmp.Diff(map[string]any{"fetch-depth": 0.0, "persist-credentials": false}, steps[0].With); diff != "" {
		t.Errorf("checkout: -want, +got:\n%s", diff)
	}
	if got, _, _ := strings.Cut(steps[1].Uses, "@"); got != "dynamo-crossplane/configuration-dynamo/"+diffAction {
		t.Errorf("want the action, got %s", got)
	}
	used := readAction(t)
	for input := range steps[1].With {
		if _, ok := used.Inputs[input]; !ok {
			t.Errorf("the action has no input %s", input)
		}
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o700); err != nil {
		t.Fatal(err)
	}
}
