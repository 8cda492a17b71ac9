package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/page"
)

// forge is what the workflow calls as gh: it writes down each request, and has a comment once one was written.
const forge = `#!/bin/sh
echo "$1 $2" >>"$GH_LOG"
case "$1 $2" in
"api repos/o/r/issues/7/comments") if [ -e "$GH_LOG.comment" ]; then echo 77; fi ;;
"pr comment") cp "$5" "$GH_LOG.comment" ;;
esac
`

// TestCommentWorkflow runs the script of the workflow that comments on a pull request, as it is on the page, for the first graphs of a
// repository, and again after another push, and for the removal of the last graph.
func TestCommentWorkflow(t *testing.T) {
	harness.WatchSources(t)
	script := commentScript(t)
	graph := contents(t, filepath.Join(harness.Root(), "examples", "agg-vllm.yaml"))
	cases := map[string]struct {
		reason        string
		before, after []byte
		want          string
	}{
		"First": {reason: "Without graphs on the base branch, everything is new.", after: graph, want: "1 graph compared: 1 created"},
		"Last":  {reason: "Without graphs afterwards, everything is deleted.", before: graph, want: "1 graph compared: 1 deleted"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			folder, log := t.TempDir(), filepath.Join(t.TempDir(), "log")
			write(t, filepath.Join(folder, "bin", "gh"), []byte(forge))
			if err := os.Symlink(harness.New(t).Path(t), filepath.Join(folder, "bin", "kubectl-dgd")); err != nil {
				t.Fatal(err)
			}
			shell(t, folder, log, "git init --quiet --initial-branch=main && echo text >text && git add text")
			commit(t, folder, log, tc.before)
			shell(t, folder, log, "git update-ref refs/remotes/origin/main HEAD && git rm -r --quiet --ignore-unmatch deploy")
			commit(t, folder, log, tc.after)
			for range 2 {
				shell(t, folder, log, script)
				shell(t, folder, log, "git worktree remove --force before")
			}
			if got := string(contents(t, log+".comment")); !strings.HasPrefix(got, "<!-- configuration-dynamo diff -->\n") || !strings.Contains(got, tc.want) {
				t.Errorf("%s\nwant %q, got\n%s", tc.reason, tc.want, got)
			}
			want := []string{"api repos/o/r/issues/7/comments", "pr comment", "api repos/o/r/issues/7/comments", "api --method"}
			if diff := cmp.Diff(want, strings.Split(strings.TrimSpace(string(contents(t, log))), "\n")); diff != "" {
				t.Errorf("The second run changes the comment of the first.\nrequests: -want, +got:\n%s", diff)
			}
		})
	}
}

// commentScript are the commands of the workflow, apart from those of other actions.
func commentScript(t *testing.T) string {
	t.Helper()
	all := blocks(t)
	i := slices.IndexFunc(all, func(b page.Block) bool { return strings.Contains(b.Text, "gh pr comment") })
	if i < 0 {
		t.Fatal("no page has the workflow")
	}
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct {
				Run string `json:"run"`
			} `json:"steps"`
		} `json:"jobs"`
	}
	if err := yaml.Unmarshal([]byte(all[i].Text), &workflow); err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	for _, step := range workflow.Jobs["diff"].Steps {
		script.WriteString(step.Run + "\n")
	}
	return script.String()
}

// commit a graph, or the lack of one.
func commit(t *testing.T, folder, log string, graph []byte) {
	t.Helper()
	if graph != nil {
		write(t, filepath.Join(folder, "deploy", "graph.yaml"), graph)
		shell(t, folder, log, "git add deploy")
	}
	shell(t, folder, log, "git -c user.name=a -c user.email=a@example.org commit --quiet --allow-empty --message=a")
}

// shell runs a script in a folder as a workflow does.
func shell(t *testing.T, folder, log, script string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-e", "-o", "pipefail", "-c", script)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(folder, "bin")+":"+os.Getenv("PATH"), "GH_LOG="+log,
		"GITHUB_BASE_REF=main", "GITHUB_REPOSITORY=o/r", "NUMBER=7")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s\n%v\n%s", script, err, out)
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

func contents(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
