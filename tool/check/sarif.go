package check

import (
	"path/filepath"
	"slices"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// The part of SARIF that forges read.
// https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/sarif-v2.1.0-os.html
type sarif struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	Version        string      `json:"version"`
	InformationURI string      `json:"informationUri"`
	Rules          []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID               rule.Code `json:"id"`
	Name             string    `json:"name"`
	ShortDescription sarifText `json:"shortDescription"`
	FullDescription  sarifText `json:"fullDescription"`
	Help             sarifText `json:"help"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID    rule.Code       `json:"ruleId"`
	RuleIndex int             `json:"ruleIndex"`
	Level     Severity        `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations"`
}

type sarifLocation struct {
	PhysicalLocation struct {
		ArtifactLocation struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region struct {
			StartLine   int `json:"startLine"`
			StartColumn int `json:"startColumn"`
		} `json:"region"`
	} `json:"physicalLocation"`
	LogicalLocations []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifLogical struct {
	FullyQualifiedName string `json:"fullyQualifiedName"`
}

func sarifOf(r *Report) *sarif {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	driver := sarifDriver{
		Name: "configuration-dynamo", Version: compatibility.Build(), InformationURI: "https://github.com/dynamo-crossplane/configuration-dynamo",
		Rules: []sarifRule{},
	}
	// Only the rules that were broken.
	for _, known := range rule.Rules() {
		if slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Code == known.Code }) {
			driver.Rules = append(driver.Rules, sarifRule{
				ID: known.Code, Name: known.Name,
				ShortDescription: sarifText{known.Title}, FullDescription: sarifText{known.Wrong}, Help: sarifText{known.Remedy},
			})
		}
	}
	run.Tool.Driver = driver
	for i := range r.Findings {
		run.Results = append(run.Results, resultOf(&r.Findings[i], driver.Rules))
	}
	return &sarif{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}

func resultOf(f *Finding, rules []sarifRule) sarifResult {
	location := sarifLocation{}
	location.PhysicalLocation.ArtifactLocation.URI = filepath.ToSlash(f.File)
	location.PhysicalLocation.Region.StartLine, location.PhysicalLocation.Region.StartColumn = f.Line, f.Column
	if f.Field != "" {
		location.LogicalLocations = []sarifLogical{{FullyQualifiedName: f.Field}}
	}
	return sarifResult{
		RuleID: f.Code, RuleIndex: slices.IndexFunc(rules, func(r sarifRule) bool { return r.ID == f.Code }),
		Level: f.Severity, Message: sarifText{f.Text()}, Locations: []sarifLocation{location},
	}
}
