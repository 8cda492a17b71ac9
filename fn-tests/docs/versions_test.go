package docs

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/page"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
)

// installed are the versions of products in commands on the page on installation, by what precedes them there.
func installed() map[compatibility.Product]*regexp.Regexp {
	return map[compatibility.Product]*regexp.Regexp{
		compatibility.Grove: regexp.MustCompile(`helm install grove oci://ghcr\.io/ai-dynamo/grove/grove-charts --version (\S+)`),
		compatibility.KAI:   regexp.MustCompile(`helm install kai-scheduler oci://\S+/kai-scheduler --version (\S+)`),
	}
}

// commandsToInstall are all scripts of the page on installation, with each command on one line.
func commandsToInstall(t *testing.T) string {
	t.Helper()
	var scripts []string
	for _, b := range blocks(t) {
		if b.Page == page.Install && b.Language == page.Bash {
			scripts = append(scripts, strings.ReplaceAll(b.Text, "\\\n", ""))
		}
	}
	return strings.Join(scripts, "")
}

// TestInstalledVersions holds the versions that the page on installation installs to those that work with the recommended release of Dynamo.
func TestInstalledVersions(t *testing.T) {
	commands := commandsToInstall(t)
	release, ok := compatibility.Of(compatibility.Recommended)
	if !ok {
		t.Fatalf("nothing is known of release %s of Dynamo", compatibility.Recommended)
	}
	for product, pattern := range installed() {
		versions := pattern.FindAllStringSubmatch(commands, -1)
		if len(versions) != 1 {
			t.Errorf("want one command of %s that installs %s, got %d", page.Install, product, len(versions))
		}
		for _, found := range versions {
			if allowed, err := release.Allows(product, found[1]); err != nil || !allowed {
				t.Errorf("%s installs %s %s, and release %s of Dynamo needs %s: %v", page.Install, product, found[1], release.Dynamo, release.Earliest[product], err)
			}
		}
	}
	for product, value := range release.Values {
		lines := slices.DeleteFunc(strings.Split(commands, "\n"), func(line string) bool { return !installed()[product].MatchString(line) })
		if !strings.Contains(strings.Join(lines, ""), " --set "+value) {
			t.Errorf("%s installs %s without --set %s, which release %s of Dynamo needs", page.Install, product, value, release.Dynamo)
		}
	}
}

// TestInstalledDynamo checks that what comes from Dynamo itself is of the recommended release.
func TestInstalledDynamo(t *testing.T) {
	var got []string
	for _, found := range regexp.MustCompile(`/ai-dynamo/dynamo/v(\d+\.\d+)\.\d+/`).FindAllStringSubmatch(commandsToInstall(t), -1) {
		got = append(got, found[1])
	}
	if diff := cmp.Diff([]string{compatibility.Recommended}, got); diff != "" {
		t.Errorf("releases of Dynamo that %s installs files of: -want, +got:\n%s", page.Install, diff)
	}
}

// TestNeededVersions checks that the page on installation names the versions that graphs need with every release.
func TestNeededVersions(t *testing.T) {
	text := harness.File(t, page.Install)
	rows := regexp.MustCompile(`(?m)^\|.*\|$`).FindAllString(string(text), -1)
	for product, earliest := range compatibility.Any().Earliest {
		// What only few graphs need is on pages of its own.
		if product == compatibility.Snapshot {
			continue
		}
		version := strings.TrimSuffix(earliest, ".0")
		if !strings.Contains(version, "-") {
			version = strings.TrimPrefix(version, "v")
		}
		if !slices.ContainsFunc(rows, func(row string) bool {
			return strings.Contains(row, "["+string(product)+"]") && strings.Contains(row, version)
		}) {
			t.Errorf("%s has no row that says that %s %s is needed", page.Install, product, version)
		}
	}
}

// TestNamedVersion checks that commands, workflows and manifests that users copy name the version of the packages of this commit.
func TestNamedVersion(t *testing.T) {
	current := regexp.MustCompile(`(?m)^ {6}version: (v\S+)$`).FindStringSubmatch(text(t, "crossplane.yaml"))
	if current == nil {
		t.Fatal("crossplane.yaml names no version of its functions")
	}
	version := regexp.MustCompile(`(?:dynamo-crossplane/[a-z0-9-]+:|configuration-dynamo/\.github/actions/[a-z]+@|configuration-dynamo, ref: |` +
		`\$REGISTRY"? |/dynamo-crossplane |\s(?:VERSION|version)=|configuration-dynamo[a-z-]*[- ])(v\d[\w.-]*|main\b)`)
	found := 0
	for _, name := range append(markdown(t), manifests(t)...) {
		for i, line := range strings.Split(text(t, name), "\n") {
			for _, named := range version.FindAllStringSubmatch(line, -1) {
				found++
				if named[1] != current[1] {
					t.Errorf("%s:%d names version %s of the packages in %q, want %s", name, i+1, named[1], named[0], current[1])
				}
			}
		}
	}
	// Fewer would mean that they are no longer found.
	if least := 8; found < least {
		t.Errorf("the version is named %d times, want at least %d", found, least)
	}
}

// manifests in examples and package, by their paths in the repository.
func manifests(t *testing.T) []string {
	t.Helper()
	names := harness.Walk(t, ".yaml", "examples", "package")
	// Fewer would mean that they are no longer found.
	if least := 50; len(names) < least {
		t.Errorf("there are %d manifests, want at least %d", len(names), least)
	}
	return names
}
