package packages

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// released is a version that the metadata of the packages names.
const released = "v0.1.0"

// script runs a script of hack/ in the root of the repository. It returns what it prints, and whether it succeeds.
func script(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir = harness.Root()
	var out, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errors
	err = cmd.Run()
	return out.String(), errors.String(), err
}

func TestReleaseNotes(t *testing.T) {
	changelog := filepath.Join(t.TempDir(), "CHANGELOG.md")
	const text = "# Changelog\n\nAll changes, see [docs/upgrading.md](docs/upgrading.md).\n\n" +
		"## v0.2.0\n\n### Added\n\n- A thing: see [docs/thing.md](docs/thing.md#part), [SECURITY.md](SECURITY.md) and [Grove](https://example.org/grove).\n\n" +
		"### Fixed\n\n- Another.\n\n## v0.2.0-rc.1\n\nFor tests.\n\n## v0.1.0\n\nThe first version.\n"
	if err := os.WriteFile(changelog, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	const blob = "https://github.com/dynamo-crossplane/configuration-dynamo/blob/v0.2.0/"
	cases := map[string]struct {
		reason  string
		version string
		want    string
		fails   string
	}{
		"Section": {
			reason:  "The notes are the section without its heading, and links to files lead to the tag.",
			version: "v0.2.0",
			want: "### Added\n\n- A thing: see [docs/thing.md](" + blob + "docs/thing.md#part), [SECURITY.md](" + blob + "SECURITY.md) and " +
				"[Grove](https://example.org/grove).\n\n### Fixed\n\n- Another.\n",
		},
		"Candidate": {
			reason:  "A version that begins like another has its own section.",
			version: "v0.2.0-rc.1",
			want:    "For tests.\n",
		},
		"Last": {
			reason:  "The last section ends with the file.",
			version: "v0.1.0",
			want:    "The first version.\n",
		},
		"Unreleased": {
			reason:  "Whoever releases has to collect the changes.",
			version: "v0.3.0",
			fails:   `has no section "## v0.3.0": hack/changelog.sh v0.3.0 writes it`,
		},
		"Unknown": {
			reason:  "A release without notes is refused.",
			version: "v0.2",
			fails:   `has no section "## v0.2"`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, message, err := script(t, "hack/release-notes.sh", tc.version, changelog)
			if (err != nil) != (tc.fails != "") || !strings.Contains(message, tc.fails) {
				t.Errorf("\n%s\nwant error %q, got %v: %s", tc.reason, tc.fails, err, message)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nnotes: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestReleaseFiles builds the files of a release twice, without binaries and packages, which TestBuild does.
func TestReleaseFiles(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	// There is no section about a release before the first one.
	changelog := filepath.Join(t.TempDir(), "CHANGELOG.md")
	if err := os.WriteFile(changelog, []byte("## "+released+"\n\n- The first release.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CHANGELOG", changelog)
	for _, folder := range []string{first, second} {
		if _, message, err := script(t, "hack/release.sh", "-n", folder, released); err != nil {
			t.Fatalf("%v: %s", err, message)
		}
	}
	if diff := cmp.Diff(checksums(t, first), checksums(t, second)); diff != "" {
		t.Errorf("two builds: -first, +second:\n%s", diff)
	}
	for _, file := range []string{
		"configuration-dynamo-" + released + ".tar.gz", "dynamographdeployment-v1alpha1.json", "dynamographdeployment-v1beta1.json",
		"dynamographdeployments-definition.yaml", "xdynamographdeployments-definition.yaml",
		"dynamographdeploymentscalingadapters-definition.yaml", "scalingadapter-crd.yaml", "notes.md",
	} {
		if checksums(t, first)[file] == "" {
			t.Errorf("the release lacks %s", file)
		}
	}
	// What docs/install.md applies is in the archive.
	for _, file := range []string{
		"package/rbac.yaml", "package/runtime.yaml", "package/scalingadapter-crd.yaml", "apis/dynamographdeploymentscalingadapter/definition.yaml",
		"compositions/dynamographdeploymentscalingadapter.yaml", "package/queue.yaml", "package/imageconfigs/mirror.yaml", "examples/agg-vllm.yaml",
	} {
		name := "configuration-dynamo-" + released
		archived, message, err := script(t, "tar", "-xzOf", filepath.Join(first, name+".tar.gz"), name+"/"+file)
		if err != nil {
			t.Fatalf("the archive lacks %s: %v: %s", file, err, message)
		}
		want := harness.File(t, file)
		if diff := cmp.Diff(string(want), archived); diff != "" {
			t.Errorf("%s: -in the repository, +in the archive:\n%s", file, diff)
		}
	}
}

// checksums of the files of a release, compared with the files.
func checksums(t *testing.T, folder string) map[string]string {
	t.Helper()
	listed, found := sums(t, folder), map[string]string{}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.IsDir() || entry.Name() == "SHA256SUMS" {
			continue
		}
		data := harness.File(t, filepath.Join(folder, entry.Name()))
		sum := sha256.Sum256(data)
		found[entry.Name()] = hex.EncodeToString(sum[:])
	}
	if diff := cmp.Diff(found, listed); diff != "" {
		t.Errorf("checksums: -files, +SHA256SUMS:\n%s", diff)
	}
	return listed
}

// TestReleaseRefused checks that nothing is built, and nothing is deleted, if a release would be wrong.
func TestReleaseRefused(t *testing.T) {
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "thesis.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason string
		args   []string
		fails  string
	}{
		"Version":  {"The packages depend on functions of another version.", []string{t.TempDir(), "v9.9.9"}, "crossplane.yaml depends on functions of version " + released},
		"Platform": {"The command line is not built for it.", []string{t.TempDir(), released, "plan9/amd64"}, "cannot build for plan9/amd64"},
		"Folder":   {"The folder has files of somebody else.", []string{other, released}, "has files that are no release"},
		"Nothing":  {"A version is needed.", []string{t.TempDir()}, "usage: hack/release.sh"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, message, err := script(t, append([]string{"hack/release.sh", "-n"}, tc.args...)...)
			if err == nil || !strings.Contains(message, tc.fails) {
				t.Errorf("\n%s\nwant error %q, got %v: %s", tc.reason, tc.fails, err, message)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(other, "thesis.txt")); err != nil {
		t.Error(err)
	}
}

// TestPublish checks that each package is signed and attested by its digest, after it has been pushed.
func TestPublish(t *testing.T) {
	folder := t.TempDir()
	const a, b = "sha256:aaaa", "sha256:bbbb"
	for name, text := range map[string]string{
		"packages.txt": "function-dynamo-graph " + a + "\nconfiguration-dynamo " + b + "\n", "kubectl-dgd-linux-amd64": "", "kubectl-dgd-linux-amd64.cdx.json": "{}",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, message, err := script(t, "hack/publish.sh", "-n", folder, "registry.example.org/dynamo-crossplane", released)
	if err != nil {
		t.Fatalf("%v: %s", err, message)
	}
	const function, configuration = "registry.example.org/dynamo-crossplane/function-dynamo-graph@" + a, "registry.example.org/dynamo-crossplane/configuration-dynamo@" + b
	want := []string{
		"push.sh FOLDER/packages registry.example.org/dynamo-crossplane " + released,
		"cosign sign --yes --recursive " + function,
		"cosign attest --yes --type=slsaprovenance1 --predicate=FOLDER/provenance.json " + function,
		"cosign attest --yes --type=cyclonedx --predicate=FOLDER/functions-amd64.cdx.json " + function,
		"cosign attest --yes --type=cyclonedx --predicate=FOLDER/functions-arm64.cdx.json " + function,
		"cosign sign --yes --recursive " + configuration,
		"cosign attest --yes --type=slsaprovenance1 --predicate=FOLDER/provenance.json " + configuration,
		"cosign attest-blob --yes --new-bundle-format --type=slsaprovenance1 --predicate=FOLDER/provenance.json " +
			"--bundle=FOLDER/kubectl-dgd-linux-amd64.provenance.sigstore.json FOLDER/kubectl-dgd-linux-amd64",
		"cosign sign-blob --yes --new-bundle-format --bundle=FOLDER/SHA256SUMS.sigstore.json FOLDER/SHA256SUMS",
	}
	got := strings.Split(strings.TrimSpace(strings.ReplaceAll(out, folder, "FOLDER")), "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("commands: -want, +got:\n%s", diff)
	}
	testProvenance(t, filepath.Join(folder, "provenance.json"))
}

// testProvenance checks what the provenance says: https://slsa.dev/spec/v1.0/provenance.
func testProvenance(t *testing.T, path string) {
	t.Helper()
	data := harness.File(t, path)
	var got struct {
		BuildDefinition struct {
			BuildType            string            `json:"buildType"`
			ExternalParameters   map[string]string `json:"externalParameters"`
			ResolvedDependencies []struct {
				URI    string            `json:"uri"`
				Digest map[string]string `json:"digest"`
			} `json:"resolvedDependencies"`
		} `json:"buildDefinition"`
		RunDetails struct {
			Builder struct {
				ID string `json:"id"`
			} `json:"builder"`
			Metadata struct {
				InvocationID string `json:"invocationId"`
			} `json:"metadata"`
		} `json:"runDetails"`
	}
	if err := yaml.UnmarshalStrict(data, &got); err != nil {
		t.Fatalf("cannot parse the provenance: %v", err)
	}
	if diff := cmp.Diff(map[string]string{"version": released}, got.BuildDefinition.ExternalParameters); diff != "" {
		t.Errorf("parameters: -want, +got:\n%s", diff)
	}
	sources := got.BuildDefinition.ResolvedDependencies
	if len(sources) != 1 || !strings.HasSuffix(sources[0].URI, "@refs/tags/"+released) || !regexp.MustCompile(`^[0-9a-f]{40}$`).MatchString(sources[0].Digest["gitCommit"]) {
		t.Errorf("want the tag and its commit as the source, got %v", sources)
	}
	// package/imageconfigs/verify.yaml only accepts signatures of this workflow.
	if want := "/.github/workflows/release.yaml@refs/tags/" + released; !strings.HasSuffix(got.RunDetails.Builder.ID, want) {
		t.Errorf("builder: want it to end with %s, got %s", want, got.RunDetails.Builder.ID)
	}
}

// A workflow has the fields of a workflow that are tested here.
type workflow struct {
	Permissions map[string]string `json:"permissions"`
	Jobs        map[string]struct {
		Uses        string            `json:"uses"`
		Needs       any               `json:"needs"`
		Permissions map[string]string `json:"permissions"`
		Strategy    struct {
			Matrix struct {
				// Command is what each job of the matrix runs.
				Command []string `json:"command"`
			} `json:"matrix"`
		} `json:"strategy"`
		Steps []struct {
			Uses string            `json:"uses"`
			With map[string]any    `json:"with"`
			Env  map[string]string `json:"env"`
			Run  string            `json:"run"`
		} `json:"steps"`
	} `json:"jobs"`
}

// TestWorkflows checks that workflows only run what exists, and that actions are pinned by their commits.
func TestWorkflows(t *testing.T) {
	files := harness.Glob(t, filepath.Join(".github", "workflows", "*.yaml"))
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			var w workflow
			read(t, filepath.Join(".github", "workflows", filepath.Base(file)), &w)
			if diff := cmp.Diff(map[string]string{"contents": "read"}, w.Permissions); diff != "" {
				t.Errorf("permissions of all jobs: -want, +got:\n%s", diff)
			}
			for name, job := range w.Jobs {
				if job.Uses != "" {
					exists(t, strings.TrimPrefix(job.Uses, "./"))
				}
				for _, step := range job.Steps {
					testStep(t, name, step.Uses, step.Run)
				}
				for _, command := range job.Strategy.Matrix.Command {
					testStep(t, name, "", command)
				}
			}
		})
	}
}

// TestNight checks that the workflow of all suites, which runs each night and before a release, runs what proves something and takes long.
func TestNight(t *testing.T) {
	var w workflow
	read(t, ".github/workflows/all.yaml", &w)
	var commands []string
	for _, job := range w.Jobs {
		commands = append(commands, job.Strategy.Matrix.Command...)
		for _, step := range job.Steps {
			commands = append(commands, step.Run)
		}
	}
	var got []string
	for _, target := range regexp.MustCompile(`(?m)^make ([a-z-]+)`).FindAllStringSubmatch(strings.Join(commands, "\n"), -1) {
		got = append(got, target[1])
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"bench", "fuzz", "release-files", "soak", "test-all", "vulnerabilities"}, got); diff != "" {
		t.Errorf("targets of make that run each night: -want, +got:\n%s", diff)
	}
}

// TestActions holds the steps of actions to what holds of those of workflows. The scripts of an action are beside it.
func TestActions(t *testing.T) {
	files := harness.Glob(t, filepath.Join(".github", "actions", "*", "action.yaml"))
	for _, file := range files {
		folder := filepath.Dir(file)
		t.Run(filepath.Base(folder), func(t *testing.T) {
			var a struct {
				Runs struct {
					Steps []struct {
						Uses string `json:"uses"`
						Run  string `json:"run"`
					} `json:"steps"`
				} `json:"runs"`
			}
			path, err := filepath.Rel(harness.Root(), file)
			if err != nil {
				t.Fatal(err)
			}
			read(t, path, &a)
			scripts := 0
			for _, step := range a.Runs.Steps {
				testStep(t, path, step.Uses, step.Run)
				for _, script := range regexp.MustCompile(`\$GITHUB_ACTION_PATH/([a-z-]+\.sh)`).FindAllStringSubmatch(step.Run, -1) {
					scripts++
					exists(t, filepath.Join(filepath.Dir(path), script[1]))
				}
			}
			if scripts == 0 {
				t.Errorf("want scripts beside the action, got %+v", a.Runs.Steps)
			}
		})
	}
}

// testStep of a job.
func testStep(t *testing.T, job, uses, run string) {
	t.Helper()
	if uses != "" && !regexp.MustCompile(`^actions/[a-z-]+@[0-9a-f]{40}$`).MatchString(uses) {
		t.Errorf("job %s: want %s pinned by its commit", job, uses)
	}
	for _, path := range regexp.MustCompile(`(?:hack|\.ci)/[A-Za-z./-]+`).FindAllString(run, -1) {
		exists(t, path)
	}
	for _, target := range regexp.MustCompile(`(?m)^make ([a-z-]+)`).FindAllStringSubmatch(run, -1) {
		if _, message, err := script(t, "make", "--dry-run", target[1], "VERSION="+released); err != nil {
			t.Errorf("job %s: make %s: %v: %s", job, target[1], err, message)
		}
	}
	for _, tool := range regexp.MustCompile(`hack/tool\.sh ([a-z-]+)`).FindAllStringSubmatch(run, -1) {
		exists(t, filepath.Join("hack", "tools", tool[1], "package"))
	}
	// An expression in a script would be run as a part of it, whatever it contains.
	if strings.Contains(run, "${{") {
		t.Errorf("job %s: pass expressions to scripts as variables: %s", job, run)
	}
}

func exists(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(harness.Root(), path)); err != nil {
		t.Errorf("a workflow names what does not exist: %v", err)
	}
}

// TestReleaseWorkflow checks that signatures are those that package/imageconfigs/verify.yaml accepts, and that nothing is released before
// CI and all suites have passed.
func TestReleaseWorkflow(t *testing.T) {
	var w workflow
	read(t, ".github/workflows/release.yaml", &w)
	job := w.Jobs["release"]
	if diff := cmp.Diff([]any{"ci", "all"}, job.Needs); diff != "" || job.Permissions["id-token"] != "write" {
		t.Errorf("want a release after ci and all suites, with an identity, got permissions %v and needs: -want, +got:\n%s", job.Permissions, diff)
	}
	config := harness.Read(t, "package/imageconfigs/verify.yaml")[0]
	data, err := yaml.Marshal(config.Object["spec"])
	if err != nil {
		t.Fatal(err)
	}
	subject := regexp.MustCompile(`(?m)subjectRegExp: (.*)$`).FindSubmatch(data)
	if subject == nil {
		t.Fatal("no subject is verified")
	}
	const workflowOf = "https://github.com/dynamo-crossplane/configuration-dynamo/.github/workflows/"
	accepts := regexp.MustCompile(string(subject[1]))
	for identity, want := range map[string]bool{
		workflowOf + "release.yaml@refs/tags/v0.2.0":         true,
		workflowOf + "release.yaml@refs/tags/v0.2.0-rc.1":    true,
		workflowOf + "release.yaml@refs/heads/main":          false,
		workflowOf + "ci.yaml@refs/tags/v0.2.0":              false,
		"https://github.com/somebody/fork/" + workflowOf:     false,
		workflowOf + "release.yaml@refs/tags/v0.2.0/../x":    false,
		workflowOf + "releaseXyaml@refs/tags/v0.2.0":         false,
		"http://" + workflowOf + "release.yaml@refs/tags/v1": false,
	} {
		if got := accepts.MatchString(identity); got != want {
			t.Errorf("%s: want %t, got %t", identity, want, got)
		}
	}
}
