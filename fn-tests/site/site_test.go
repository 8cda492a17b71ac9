package site

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/page"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

// env is set to 1 where the tool that builds the site may be built, as with `make site`.
const env = "CONFIGURATION_DYNAMO_SITE"

const repository = "https://github.com/dynamo-crossplane/configuration-dynamo"

// build a version of the site, with the arguments of hack/site.sh, and return its folder.
func build(t *testing.T, folder, version string, changelog ...string) string {
	t.Helper()
	if os.Getenv(env) != "1" {
		shared.Skipf(t, 1, "the generator of the site: make site, which sets %s=1", env)
	}
	cmd := exec.CommandContext(t.Context(), "hack/site.sh", append([]string{folder, version}, changelog...)...)
	cmd.Dir = harness.Root()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("cannot build the site of %s: %v\n%s", version, err, out)
	}
	return filepath.Join(folder, version)
}

// TestPages checks that each page of the repository is a page of the site, with headings that have the anchors of a forge: links to either
// lead to the same place.
func TestPages(t *testing.T) {
	all := documents(t, build(t, t.TempDir(), "main"))
	for _, name := range pages(t) {
		d := all[addressOf(name)]
		if d == nil {
			t.Errorf("the site lacks %s", name)
			continue
		}
		if diff := cmp.Diff(page.Anchors(string(harness.File(t, name))), d.headings); diff != "" {
			t.Errorf("%s: anchors: -forge, +site:\n%s", name, diff)
		}
	}
	for name, d := range all {
		if len(d.strangers) > 0 {
			t.Errorf("%s has elements that are none of HTML, put them between backticks: %v", name, d.strangers)
		}
		for id, n := range d.ids {
			if n > 1 {
				t.Errorf("%s has %d elements with id %s", name, n, id)
			}
		}
	}
}

// addressOf a page in the folder of a version, by its path in the repository.
func addressOf(name string) string {
	return strings.ToLower(strings.TrimSuffix(name, ".md")) + ".html"
}

// TestLinks checks that links within the site lead to a page and to an element of it, and that links to the repository lead to a file of it
// at the version. Pages load nothing from elsewhere. Links to other sites are not followed.
func TestLinks(t *testing.T) {
	const version = "v0.1.0"
	folder := build(t, t.TempDir(), version)
	all := documents(t, folder)
	found := 0
	for name, d := range all {
		for _, part := range d.parts {
			if strings.Contains(part, ":") || strings.HasPrefix(part, "//") {
				t.Errorf("%s loads %s from elsewhere", name, part)
			}
		}
		for _, link := range append(d.parts, d.links...) {
			found++
			switch rest, ours := strings.CutPrefix(link, repository+"/"); {
			case ours:
				testRepository(t, name, rest, version)
			case !strings.HasPrefix(link, "https://"):
				testLink(t, all, folder, name, link)
			}
		}
	}
	// Fewer would mean that the pages are no longer read right.
	if found < 2000 {
		t.Errorf("the site has %d links, want at least 2000", found)
	}
}

// testLink from a page to another, or to a file that a page shows.
func testLink(t *testing.T, all map[string]*document, folder, from, link string) {
	t.Helper()
	target, err := url.Parse(link)
	if err != nil || target.Scheme != "" || strings.HasPrefix(link, "/") {
		t.Errorf("%s: want link %s relative to the page", from, link)
		return
	}
	to := from
	if target.Path != "" {
		to = path.Join(path.Dir(from), target.Path)
	}
	d := all[to]
	if _, err := os.Stat(filepath.Join(folder, to)); err != nil || d == nil && target.Fragment != "" {
		t.Errorf("%s: link %s leads nowhere: %v", from, link, err)
		return
	}
	if target.Fragment != "" && d.ids[target.Fragment] == 0 {
		t.Errorf("%s: %s has no element for link %s", from, to, link)
	}
}

// testRepository checks a link to the repository, such as blob/v0.1.0/LICENSE.
func testRepository(t *testing.T, from, link, version string) {
	t.Helper()
	kind, rest, _ := strings.Cut(link, "/")
	if kind != "blob" && kind != "tree" {
		return
	}
	name, isVersion := strings.CutPrefix(rest, version+"/")
	info, err := os.Stat(filepath.Join(harness.Root(), name))
	if !isVersion || err != nil || info.IsDir() != (kind == "tree") {
		t.Errorf("%s: want link %s to lead to a file (blob) or a folder (tree) at %s: %v", from, link, version, err)
	}
}

// TestSearch checks that the search finds each heading of each page, and only what is there.
func TestSearch(t *testing.T) {
	folder := build(t, t.TempDir(), "main")
	all := documents(t, folder)
	var sections []struct {
		Page    string `json:"page"`
		Heading string `json:"heading"`
		Address string `json:"address"`
		Text    string `json:"text"`
	}
	script(t, filepath.Join(folder, "search.js"), "sections", &sections)
	found := map[string]bool{}
	for _, s := range sections {
		found[s.Address] = true
		testLink(t, all, folder, "index.html", s.Address)
		if s.Page == "" || s.Heading == "" || strings.ContainsAny(s.Heading+s.Text, "\x01\n") || strings.Contains(s.Text, "</") {
			t.Errorf("%s: want a page, a heading and a line of text, got %q, %q, %q", s.Address, s.Page, s.Heading, s.Text)
		}
	}
	for _, name := range pages(t) {
		for _, heading := range all[addressOf(name)].headings {
			if address := addressOf(name) + "#" + heading; !found[address] {
				t.Errorf("the search does not find %s", address)
			}
		}
	}
	if field := "docs/api.html#row-0-speccomponents"; !found[field] {
		t.Errorf("the search does not find fields, such as %s", field)
	}
}

// script reads the value that a script sets a variable to.
func script(t *testing.T, file, variable string, value any) {
	t.Helper()
	text, ok := strings.CutPrefix(strings.TrimSpace(string(harness.File(t, file))), variable+" = ")
	text, ends := strings.CutSuffix(text, ";")
	if !ok || !ends {
		t.Fatalf("%s: want it to set %s", file, variable)
	}
	if err := json.Unmarshal([]byte(text), value); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// TestVersions checks the list of versions, and which one is shown first, while versions are added to a folder.
func TestVersions(t *testing.T) {
	changelog := filepath.Join(t.TempDir(), "CHANGELOG.md")
	const text = "# Changelog\n\n## Unreleased\n\n- Later.\n\n## v0.2.0\n\n### Added\n\n- A thing.\n\n## v0.2.0-rc.1\n\nFor tests.\n"
	if err := os.WriteFile(changelog, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	const tree = repository + "/tree/"
	cases := map[string]struct {
		reason   string
		versions []string
		want     [][2]string
		first    string
	}{
		"Main": {
			reason:   "Releases that are not in the folder are in the repository.",
			versions: []string{"main"},
			want:     [][2]string{{"main", "main/index.html"}, {"v0.2.0", tree + "v0.2.0/docs"}, {"v0.2.0-rc.1", tree + "v0.2.0-rc.1/docs"}},
			first:    "main/index.html",
		},
		"Ahead": {
			reason:   "A version that is built before its section says that it is released is the newest one.",
			versions: []string{"v0.3.0"},
			want:     [][2]string{{"v0.3.0", "v0.3.0/index.html"}, {"v0.2.0", tree + "v0.2.0/docs"}, {"v0.2.0-rc.1", tree + "v0.2.0-rc.1/docs"}},
			first:    "v0.3.0/index.html",
		},
		"Both": {
			reason:   "The newest release is shown first, whatever was built last.",
			versions: []string{"v0.2.0", "v0.2.0-rc.1", "main"},
			want:     [][2]string{{"main", "main/index.html"}, {"v0.2.0", "v0.2.0/index.html"}, {"v0.2.0-rc.1", "v0.2.0-rc.1/index.html"}},
			first:    "v0.2.0/index.html",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			for _, version := range tc.versions {
				build(t, folder, version, changelog)
			}
			var got [][2]string
			script(t, filepath.Join(folder, "versions.js"), "versions", &got)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nversions: -want, +got:\n%s", tc.reason, diff)
			}
			if index := string(harness.File(t, filepath.Join(folder, "index.html"))); !strings.Contains(index, "url="+tc.first) {
				t.Errorf("\n%s\nwant the first page to lead to %s, got\n%s", tc.reason, tc.first, index)
			}
		})
	}
}

// TestNoRelease checks that a site lists no version but its own before the first release.
func TestNoRelease(t *testing.T) {
	changelog := filepath.Join(t.TempDir(), "CHANGELOG.md")
	if err := os.WriteFile(changelog, []byte("# Changelog\n\n## Unreleased\n\n- All.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	build(t, folder, "main", changelog)
	var got [][2]string
	script(t, filepath.Join(folder, "versions.js"), "versions", &got)
	if diff := cmp.Diff([][2]string{{"main", "main/index.html"}}, got); diff != "" {
		t.Errorf("versions: -want, +got:\n%s", diff)
	}
}

// TestFrontPage checks that the first page is the overview of the repository.
func TestFrontPage(t *testing.T) {
	all := documents(t, build(t, t.TempDir(), "main"))
	front, overview := all["index.html"], all[addressOf("README.md")]
	if diff := cmp.Diff(overview.headings, front.headings); len(front.headings) < 3 || diff != "" {
		t.Errorf("headings: -readme.html, +index.html:\n%s", diff)
	}
}

// TestReproducible checks that a site has the same bytes wherever it is built.
func TestReproducible(t *testing.T) {
	first, second := build(t, t.TempDir(), "v0.1.0"), build(t, t.TempDir(), "v0.1.0")
	names := files(t, first)
	if diff := cmp.Diff(names, files(t, second)); diff != "" {
		t.Fatalf("files: -first, +second:\n%s", diff)
	}
	for _, name := range names {
		if !bytes.Equal(harness.File(t, filepath.Join(first, name)), harness.File(t, filepath.Join(second, name))) {
			t.Errorf("%s differs between two builds", name)
		}
	}
}

func files(t *testing.T, folder string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "find", folder, "-type", "f", "-printf", "%P\n").Output()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(strings.FieldsSeq(string(out)))
}
