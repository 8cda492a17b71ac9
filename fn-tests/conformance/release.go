package conformance

import (
	_ "embed" // The tables are part of the package.
	"fmt"
)

// Release is a release of the Dynamo operator with whose objects ours are compared.
type Release struct {
	// Name of the release.
	Name string
	// File is the table of its accepted differences.
	File string
	// table is the content of File.
	table string
}

var (
	//go:embed accept.tsv
	april string
	//go:embed accept-2026-08.tsv
	august string
)

// Releases of the operator, newest first.
func Releases() []Release {
	return []Release{
		{Name: "1.5", File: "accept-2026-08.tsv", table: august},
		{Name: "1.1", File: "accept.tsv", table: april},
	}
}

// Accepted differences from the objects of the release.
func (r Release) Accepted() (*Accepted, error) {
	accepted, err := ParseAccepted(r.table)
	if err != nil {
		return nil, fmt.Errorf("cannot parse %s: %w", r.File, err)
	}
	return accepted, nil
}
