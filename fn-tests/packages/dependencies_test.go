package packages

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

const (
	page = "docs/dependencies.md"
	// tags are those with which hack/binary.sh builds programs.
	tags = "-tags=grpcnotrace"
)

// TestModules holds the list of modules to go.mod.
func TestModules(t *testing.T) {
	var file struct {
		Require []struct {
			Path     string `json:"Path"`
			Indirect bool   `json:"Indirect"`
		} `json:"Require"`
	}
	if err := json.Unmarshal([]byte(run(t, "go", "mod", "edit", "-json")), &file); err != nil {
		t.Fatal(err)
	}
	linked, served := linkedModules(t), servedModules(t)
	documented := table(t, "module")
	want, got := map[string]string{}, map[string]string{}
	for _, r := range file.Require {
		if !r.Indirect {
			want[r.Path] = "no"
			if _, ok := linked[r.Path]; ok {
				want[r.Path] = "commands"
			}
			if _, ok := served[r.Path]; ok {
				want[r.Path] = "yes"
			}
		}
	}
	for module, columns := range documented {
		got[module] = columns[0]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("modules, and whether they are in the binary: -go.mod, +%s:\n%s", page, diff)
	}
	for _, text := range []string{
		fmt.Sprintf("contains parts of %d modules", len(served)), fmt.Sprintf("contains %d other modules", len(linked)-len(served)),
	} {
		if !strings.Contains(string(harness.File(t, page)), text) {
			t.Errorf("%s does not say that a binary %s", page, text)
		}
	}
	for module, columns := range documented {
		folder := strings.TrimSpace(run(t, "go", "list", "-m", "-f", "{{.Dir}}", module))
		if diff := cmp.Diff(licensesOf(t, folder), columns[2]); diff != "" {
			t.Errorf("license of %s: -its LICENSE, +%s:\n%s", module, page, diff)
		}
	}
}

// TestNoClient keeps clients of Kubernetes out of the binary: functions talk to Crossplane alone, and commands to a cluster run kubectl.
func TestNoClient(t *testing.T) {
	const module = "k8s.io/client-go"
	if _, linked := linkedModules(t)[module]; linked {
		t.Errorf("the binary has a part of %s: find the import that leads to it with go list -deps ./cmd/dgd", module)
	}
}

// TestMethodsLeftOut keeps the linker able to leave out the methods that the functions never call, which are a fifth of their binary
// otherwise: nothing in it may look up methods by names that are only known at run time.
func TestMethodsLeftOut(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the binary of the packages: .ci/run has it compiled before this test")
	}
	harness.WatchSources(t)
	build := exec.CommandContext(t.Context(), "go", "build", tags, "-ldflags=-dumpdep", "-o", filepath.Join(t.TempDir(), "function"), "./cmd/function")
	build.Dir = harness.Root()
	build.Env = binaryEnvironment()
	out, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("cannot build the functions: %v\n%s", err, out)
	}
	if !bytes.Contains(out, []byte("main.main")) {
		t.Fatal("the linker does not print what depends on what")
	}
	lookups := map[string]bool{}
	for _, lookup := range regexp.MustCompile(`(?m)^(\S+) <[^>]*ReflectMethod[^>]*>`).FindAllSubmatch(out, -1) {
		lookups[string(lookup[1])] = true
	}
	for name := range lookups {
		// Only who calls package reflect is to blame.
		if !strings.HasPrefix(name, "reflect.") {
			t.Errorf("%s looks up methods by name, so the binary has all methods of all types", name)
		}
	}
}

// TestLicenses wants a license that is known of every module in the binary.
func TestLicenses(t *testing.T) {
	linked := linkedModules(t)
	if len(linked) == 0 {
		t.Fatal("no module is in the binary")
	}
	for module, folder := range linked {
		if licensesOf(t, folder) == "" {
			t.Errorf("%s: its license, in %s, is none that is known here; see whether it may be used", module, folder)
		}
	}
}

// TestTools holds the list of tools to the folders of hack/tools, all of which are pinned.
func TestTools(t *testing.T) {
	folders := harness.Glob(t, filepath.Join("hack", "tools", "*"))
	var tools []string
	for _, folder := range folders {
		tools = append(tools, filepath.Base(folder))
		if _, err := os.Stat(filepath.Join(folder, "go.sum")); err != nil {
			t.Errorf("the modules of %s have no checksums: %v", filepath.Base(folder), err)
		}
	}
	if diff := cmp.Diff(tools, slices.Sorted(maps.Keys(table(t, "tool")))); diff != "" {
		t.Errorf("tools: -hack/tools, +%s:\n%s", page, diff)
	}
}

// linkedModules are the modules of which one of the programs has parts, with their folders.
func linkedModules(t *testing.T) map[string]string {
	t.Helper()
	return modulesOf(t, "./cmd/dgd", "./cmd/function")
}

// servedModules are those of which the binary in the packages of the functions has parts, as hack/package.sh builds it.
func servedModules(t *testing.T) map[string]string {
	t.Helper()
	return modulesOf(t, "./cmd/function")
}

// modulesOf programs, as hack/binary.sh builds them.
func modulesOf(t *testing.T, programs ...string) map[string]string {
	t.Helper()
	harness.WatchSources(t)
	out := run(t, "go", append([]string{"list", tags, "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}"}, programs...)...)
	modules := map[string]string{}
	for line := range strings.Lines(out) {
		if path, folder, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			modules[path] = folder
		}
	}
	return modules
}

// licenses by words that only they have.
var licenses = []struct{ name, words string }{
	{"Apache-2.0", "Apache License Version 2.0"},
	{"BSD-3-Clause", "Redistribution and use in source and binary forms"},
	{"ISC", "Permission to use, copy, modify, and distribute this software for any purpose with or without fee"},
	{"ISC", "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee"},
	{"MIT", "Permission is hereby granted, free of charge"},
}

// licensesOf a module as its license file reads: more than one where its parts have different ones, and empty where there is
// none that is known.
func licensesOf(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, entry := range entries {
		if entry.IsDir() || !regexp.MustCompile(`(?i)^(licen[sc]e|copying)`).MatchString(entry.Name()) {
			continue
		}
		data := harness.File(t, filepath.Join(folder, entry.Name()))
		text := strings.Join(strings.Fields(string(data)), " ")
		for _, license := range licenses {
			if strings.Contains(text, license.words) && !slices.Contains(found, license.name) {
				found = append(found, license.name)
			}
		}
	}
	return strings.Join(found, ", ")
}

// table of the page whose first column is headed so: the other columns of each row, by the first.
func table(t *testing.T, head string) map[string][]string {
	t.Helper()
	_, rest, found := strings.Cut(string(harness.File(t, page)), "\n| "+head+" |")
	if !found {
		t.Fatalf("%s has no table with column %s", page, head)
	}
	rows := map[string][]string{}
	for line := range strings.Lines(rest) {
		if strings.TrimSpace(line) == "" {
			break
		}
		columns := strings.Split(strings.Trim(strings.TrimSpace(line), "| "), " | ")
		if name, ok := strings.CutPrefix(columns[0], "`"); ok {
			rows[strings.TrimSuffix(name, "`")] = columns[1:]
		}
	}
	for name, columns := range rows {
		if slices.Contains(columns, "") || len(columns) < 3 {
			t.Errorf("%s: want every column of %s filled", page, name)
		}
	}
	return rows
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = harness.Root()
	cmd.Env = binaryEnvironment()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v", name, args, err)
	}
	return string(out)
}

// binaryEnvironment is that of the binary, which is always one for Linux, wherever the tests run.
func binaryEnvironment() []string {
	return append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
}
