package main

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
)

// versionCommand says what the program is.
type versionCommand struct {
	Output string `default:"text" enum:"text,json" help:"The format: text or json." short:"o"`
}

// versions of the program, and of what it knows.
type versions struct {
	Release string   `json:"release"`
	Commit  string   `json:"commit,omitempty"`
	Go      string   `json:"go"`
	Dynamo  []string `json:"dynamo"`
}

// Run the command.
func (c *versionCommand) Run(std streams) error {
	v := versionsOf(debug.ReadBuildInfo())
	text := fmt.Sprintf("release: %s\ncommit:  %s\ngo:      %s\ndynamo:  %s\n", v.Release, v.Commit, v.Go, strings.Join(v.Dynamo, ", "))
	if v.Commit == "" {
		text = strings.Replace(text, "commit:  \n", "", 1)
	}
	if c.Output == "json" {
		return std.out.JSON(v) //nolint:wrapcheck // It says what cannot be done.
	}
	return std.print(text)
}

// versionsOf a build. The releases of Dynamo are those at which what pods get has changed.
func versionsOf(info *debug.BuildInfo, ok bool) versions {
	v := versions{Release: compatibility.Build(), Dynamo: []string{}}
	for _, change := range runtime.Changes() {
		v.Dynamo = append(v.Dynamo, cmp.Or(change.From, change.Until).String())
	}
	slices.SortFunc(v.Dynamo, func(a, b string) int { return runtime.Version(a).Compare(runtime.Version(b)) })
	v.Dynamo = slices.Compact(v.Dynamo)
	if !ok {
		return v
	}
	v.Go = info.GoVersion
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v.Commit = s.Value
		}
	}
	return v
}
