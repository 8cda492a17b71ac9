package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/page"
)

const design = "docs/design.md"

// inBackticks is code within a line.
var inBackticks = regexp.MustCompile("`([^`\n]+)`")

// isPath reports whether code on the page on the design is a path from the root of the repository.
var isPath = regexp.MustCompile(`^(?:apis|cmd|compositions|docs|examples|fn-tests|functions|hack|internal|package|schemas|site|tool)(?:/\S*)?$|^[A-Z]+\.md$`).MatchString

// TestPaths holds the page on the design to the files and folders that there are.
func TestPaths(t *testing.T) {
	found := 0
	for _, code := range inBackticks.FindAllStringSubmatch(strings.Join(page.Prose(text(t, design)), "\n"), -1) {
		if !isPath(code[1]) {
			continue
		}
		found++
		testPath(t, code[1])
	}
	// Fewer would mean that the page is no longer read right.
	if found < 100 {
		t.Errorf("%s names %d paths, want at least 100", design, found)
	}
}

// TestMap checks that each row of the map of the code names a file or folder that decides, and that everything in code in the row is there.
func TestMap(t *testing.T) {
	_, rest, ok := strings.Cut(text(t, design), "\n| what | who decides | where to change it |\n|---|---|---|\n")
	if !ok {
		t.Fatalf("%s has no table of who decides what", design)
	}
	table, _, _ := strings.Cut(rest, "\n\n")
	rows := strings.Split(table, "\n")
	for _, row := range rows {
		cells := strings.Split(strings.Trim(row, "| "), " | ")
		if len(cells) != 3 {
			t.Errorf("%s: want three cells, got %q", design, row)
			continue
		}
		decides := inBackticks.FindStringSubmatch(cells[1])
		if len(decides) == 0 || !isPath(decides[1]) {
			t.Errorf("%s: who decides about %q is no file or folder: %s", design, cells[0], cells[1])
			continue
		}
		for _, cell := range cells[1:] {
			for _, code := range inBackticks.FindAllStringSubmatch(cell, -1) {
				if strings.ContainsAny(code[1], "/.") {
					testPath(t, code[1])
				}
			}
		}
	}
	// Fewer would mean that the table is no longer read right.
	if len(rows) < 40 {
		t.Errorf("%s: the map of the code has %d rows, want at least 40", design, len(rows))
	}
}

// TestPlan checks that the page explains each field of the plan, as the package of the plan has recorded them.
func TestPlan(t *testing.T) {
	versions := harness.Glob(t, "internal/model/graphplan/testdata/version-*.txt")
	fields := harness.File(t, versions[len(versions)-1])
	_, section, _ := strings.Cut(text(t, design), "\n## The plan\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, field := range regexp.MustCompile(`(?m)^\w+`).FindAllString(string(fields), -1) {
		if !strings.Contains(section, "`"+field+"`") {
			t.Errorf("%s does not explain field %s of the plan", design, field)
		}
	}
}

// TestWorkedExamples checks that each worked example is short, and lists as many files as it says.
func TestWorkedExamples(t *testing.T) {
	_, section, ok := strings.Cut(text(t, design), "\n## Worked examples\n")
	if !ok {
		t.Fatalf("%s has no worked examples", design)
	}
	for _, title := range []string{"Add a field", "Add a composed kind", "Add a warning", "Add a release"} {
		t.Run(title, func(t *testing.T) {
			_, example, ok := strings.Cut(section, "\n### "+title+"\n")
			if !ok {
				t.Fatalf("%s does not have it", design)
			}
			example, _, _ = strings.Cut(example, "\n### ")
			example = strings.TrimSpace(example)
			if lines := strings.Count(example, "\n") + 1; lines > 15 {
				t.Errorf("want at most 15 lines, got %d", lines)
			}
			files := map[string]bool{}
			for _, item := range regexp.MustCompile(`(?m)^\d+\. .*$`).FindAllString(example, -1) {
				for _, code := range inBackticks.FindAllStringSubmatch(item, -1) {
					if isPath(code[1]) || strings.HasPrefix(code[1], "changelog.d/") {
						files[code[1]] = true
					}
				}
			}
			if want := fmt.Sprintf("takes %d files by hand", len(files)); !strings.Contains(example, want) {
				t.Errorf("it does not say that it %s, as many as it lists", want)
			}
		})
	}
}

func testPath(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(harness.Root(), path)); err != nil {
		t.Errorf("%s names what is not there: %v", design, err)
	}
}
