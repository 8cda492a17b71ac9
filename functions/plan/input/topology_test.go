package input

import (
	"slices"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

// TestValidateTopologyInput shows what is refused of what the platform says about topology.
func TestValidateTopologyInput(t *testing.T) {
	const (
		notADomain = `must consist of lower-case letters, digits and dashes, and begin and end with a letter or digit`
		notAKey    = `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character ` +
			`(e.g. 'MyName',  or 'my.name',  or '123-abc')`
	)
	runRefusals(t, map[string]refusal{
		"Good": {
			reason: "Several profiles of several levels, and tiers, are accepted.",
			fields: `{"topology":{"profiles":[{"name":"a","levels":[{"domain":"zone","key":"example.org/zone"},{"domain":"rack","key":"rack"}]},
				{"name":"b","levels":[{"domain":"zone","key":"example.org/zone"}]}]},"volcano":{"topologyDialect":"TierName","tiers":{"rack":1}}}`,
		},
		"Names": {
			reason: "A profile has a name of its own, which a graph can name.",
			fields: `{"topology":{"profiles":[{"name":"","levels":[{"domain":"x","key":"x"}]},{"name":"a","levels":[{"domain":"x","key":"x"}]},
				{"name":"a","levels":[{"domain":"x","key":"x"}]},{"name":"a/b","levels":[{"domain":"x","key":"x"}]}]}}`,
			want: []string{
				`input.topology.profiles[0].name: Required value: specify the name that graphs use in topologyConstraint.topologyProfile`,
				`input.topology.profiles[2].name: Duplicate value: "a"`,
				`input.topology.profiles[3].name: Invalid value: "a/b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character ` +
					`(e.g. 'example.com')`,
			},
		},
		"NoLevels": {
			reason: "A topology has levels.",
			fields: `{"topology":{"profiles":[{"name":"a","levels":[]}]}}`,
			want:   []string{`input.topology.profiles[0].levels: Required value: specify at least one level, broadest first`},
		},
		"Levels": {
			reason: "Domains and labels must be valid, and neither may be duplicated.",
			fields: `{"topology":{"profiles":[{"name":"a","levels":[{"domain":"Rack","key":"-"},{"domain":"zone","key":"z"},{"domain":"zone","key":"z"}]}]}}`,
			want: []string{
				`input.topology.profiles[0].levels[0].domain: Invalid value: "Rack": ` + notADomain,
				`input.topology.profiles[0].levels[0].key: Invalid value: "-": ` + notAKey,
				`input.topology.profiles[0].levels[2].domain: Duplicate value: "zone"`,
				`input.topology.profiles[0].levels[2].key: Duplicate value: "z"`,
			},
		},
		"PodLabels": {
			reason: "Labels that pods get must be valid, and are listed once.",
			fields: `{"topology":{"podLabels":["topology.kubernetes.io/zone","-","topology.kubernetes.io/zone"]}}`,
			want:   []string{`input.topology.podLabels[1]: Invalid value: "-": ` + notAKey, `input.topology.podLabels[2]: Duplicate value: "topology.kubernetes.io/zone"`},
		},
		"ManyPodLabels": {
			reason: "There are not as many labels as that.",
			fields: v1alpha1.Policy{Topology: v1alpha1.Topology{PodLabels: slices.Repeat([]string{"a"}, 101)}},
			want:   []string{`input.topology.podLabels: Too many: 101: must have at most 100 items`},
		},
		"Volcano": {
			reason: "HyperNodes of the narrowest kind are tier 1.",
			fields: `{"volcano":{"topologyDialect":"New","tiers":{"rack":0,"Zone":2}}}`,
			want: []string{
				`input.volcano.topologyDialect: Unsupported value: "New": supported values: "Auto", "TierName", "Tier"`,
				`input.volcano.tiers: Invalid value: "Zone": ` + notADomain,
				`input.volcano.tiers[rack]: Invalid value: 0: must be at least 1, which is the tier of the narrowest HyperNodes`,
			},
		},
	})
}
