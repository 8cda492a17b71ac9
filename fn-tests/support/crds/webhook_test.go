package crds

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

var (
	levels  = []string{"zone", "block", "rack", "host"}
	alpha6  = Topology{Levels: levels}
	alpha12 = Topology{Levels: levels, Name: "dc", TakesName: true, TakesPack: true}
)

// fields of an object, of which any may be wrong.
type fields = map[string]any

// parse YAML.
func parse[T any](text string) T {
	var out T
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		panic(err)
	}
	return out
}

// setOf is a PodCliqueSet llm with a template and nothing else.
func setOf(template fields) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: fields{"metadata": fields{"name": "llm"}, "spec": fields{"replicas": 1.0, "template": template}}}
}

// set is a PodCliqueSet whose template is YAML, with these cliques, unless the template has its own.
func set(template string, cliques ...any) *unstructured.Unstructured {
	parsed := parse[fields](template)
	if len(cliques) > 0 {
		parsed["cliques"] = cliques
	}
	return setOf(parsed)
}

// cliqueOf is a clique without mistakes, with further fields of its spec, YAML.
func cliqueOf(name, spec string) any {
	all := fields{"roleName": name, "replicas": 2.0, "minAvailable": 1.0, "podSpec": fields{}}
	maps.Copy(all, parse[fields](spec))
	return fields{"name": name, "spec": all}
}

// constrained is a set with a clique of its own and a scaling group, and constraints of each level, YAML.
func constrained(onSet, onGroup, onMember, onClique string) *unstructured.Unstructured {
	clique := func(name, constraint string) any {
		return fields{
			"name": name, "topologyConstraint": parse[any](constraint), "spec": fields{"roleName": name, "replicas": 1.0, "minAvailable": 1.0},
		}
	}
	return setOf(fields{
		"topologyConstraint":     parse[any](onSet),
		"podCliqueScalingGroups": []any{fields{"name": "g", "cliqueNames": []any{"m"}, "topologyConstraint": parse[any](onGroup)}},
		"cliques":                []any{clique("m", onMember), clique("c", onClique)},
	})
}

func TestWebhook(t *testing.T) {
	cases := map[string]struct {
		reason   string
		set      *unstructured.Unstructured
		topology Topology
		want     []string
	}{
		"Good": {
			reason: "Nothing is wrong with a set that is in order.",
			set: set(`{cliqueStartupType: CliqueStartupTypeExplicit, terminationDelay: 15m, podCliqueScalingGroups: [{name: x, cliqueNames: [x-ldr, x-wkr], replicas: 3, minAvailable: 3}]}`,
				cliqueOf("web", "{podSpec: {containers: [{name: main, env: [{name: A, value: a}, {name: B, value: b}]}]}}"),
				cliqueOf("x-ldr", "{startsAfter: [x-wkr]}"), cliqueOf("x-wkr", "{minAvailable: 2}")),
		},
		"Defaults": {
			reason: "Absent replicas become 1, and an absent minimum the replicas.",
			set:    set("{cliques: [{name: a, spec: {roleName: a, minAvailable: 1}}, {name: b, spec: {roleName: b, replicas: 3}}]}"),
		},
		"ZeroWithoutMinimum": {
			reason: "The defaulted minimum is taken from the replicas before these are defaulted.",
			set:    set("{cliques: [{name: a, spec: {roleName: a, replicas: 0}}]}"),
			want:   []string{"clique a: minAvailable 0 is not more than 0"},
		},
		"Empty": {
			reason: "A set has a name and a clique.",
			set:    &unstructured.Unstructured{Object: parse[fields]("{metadata: {name: Llm}, spec: {replicas: -1, template: {terminationDelay: 0s}}}")},
			want: []string{
				`metadata.name "Llm" is no DNS subdomain`,
				"replicas are negative",
				"there is no clique",
				"terminationDelay is not more than 0",
			},
		},
		"Unique": {
			reason: "Names are unique, each kind for itself.",
			set: set(`{cliques: [{name: a, spec: {roleName: r, replicas: 1}}, {name: a, spec: {roleName: r, replicas: 1}}, {name: "", spec: {roleName: s, replicas: 1}}],
				podCliqueScalingGroups: [{name: a, cliqueNames: []}, {name: a, cliqueNames: []}]}`),
			want: []string{
				`clique name "a" is not unique`,
				"clique name is empty",
				`role name "r" is not unique`,
				`scaling group name "a" is not unique`,
			},
		},
		"Bounds": {
			reason: "Replicas and minimum are at least one, and the minimum is no more than the replicas.",
			set:    set(`{podCliqueScalingGroups: [{name: g, cliqueNames: [a], replicas: 0}, {name: h, cliqueNames: [b], minAvailable: 2}]}`, cliqueOf("a", "{minAvailable: 0}"), cliqueOf("b", "{minAvailable: 3}"), cliqueOf("c", "{replicas: -1}")),
			want: []string{
				"clique a: minAvailable 0 is not more than 0",
				"clique b: minAvailable 3 is more than replicas 2",
				"clique c: replicas -1 are not more than 0",
				"clique c: minAvailable 1 is more than replicas -1",
				"scaling group g: replicas 0 are not more than 0",
				"scaling group g: minAvailable 1 is more than replicas 0",
				"scaling group h: minAvailable 2 is more than replicas 1",
			},
		},
		"AutoScaling": {
			reason: "Autoscaling cannot go below the minimum of the gang, and must reach the replicas.",
			set:    set(`{podCliqueScalingGroups: [{name: g, cliqueNames: [a], replicas: 2, minAvailable: 2, scaleConfig: {minReplicas: 1, maxReplicas: 2}}]}`, cliqueOf("a", "{minAvailable: 2, autoScalingConfig: {minReplicas: 1, maxReplicas: 1}}")),
			want: []string{
				"clique a: autoScalingConfig.minReplicas 1 is less than minAvailable",
				"clique a: autoScalingConfig.maxReplicas 1 is too small",
				"scaling group g: scaleConfig.minReplicas is less than minAvailable",
				"scaling group g: clique a has an autoScalingConfig of its own",
			},
		},
		"Members": {
			reason: "A scaling group has cliques of the set, and a clique one scaling group.",
			set:    set(`{podCliqueScalingGroups: [{name: g, cliqueNames: [a, b]}, {name: h, cliqueNames: [a]}]}`, cliqueOf("a", "")),
			want: []string{
				`scaling group g: there is no clique "b"`,
				"scaling group h: clique a is in scaling group g too",
			},
		},
		"NameLengths": {
			reason: "The names of set, scaling group and clique have 45 characters together.",
			set: setOf(fields{
				"podCliqueScalingGroups": []any{fields{"name": "groupgroup", "cliqueNames": []any{strings.Repeat("c", 32), strings.Repeat("d", 33)}}},
				"cliques": []any{
					cliqueOf(strings.Repeat("a", 42), ""), cliqueOf(strings.Repeat("b", 43), ""), cliqueOf(strings.Repeat("c", 32), ""), cliqueOf(strings.Repeat("d", 33), ""),
				},
			}),
			want: []string{
				"clique " + strings.Repeat("b", 43) + ": combined resource name length 46 exceeds 45",
				"clique " + strings.Repeat("d", 33) + ": combined resource name length 46 exceeds 45",
			},
		},
		"Suffixes": {
			reason: "A clique after one whose name its own ends in is built from that one's template; the other way round is fine.",
			set:    set(`{}`, cliqueOf("prefill-worker", ""), cliqueOf("worker", ""), cliqueOf("decode-worker", "")),
			want:   []string{"clique decode-worker: PodClique llm-0-decode-worker would be built from clique worker"},
		},
		"SuffixAcrossNames": {
			reason: "The suffix is looked for in the name of the PodClique, of which set and index are a part.",
			set:    set(`{}`, cliqueOf("m-0-web", ""), cliqueOf("web", "")),
			want:   []string{"clique web: PodClique llm-0-web would be built from clique m-0-web"},
		},
		"Startup": {
			reason: "The order is one of cliques of the set, without cycles.",
			set:    set(`{cliqueStartupType: CliqueStartupTypeExplicit}`, cliqueOf("a", "{startsAfter: [b]}"), cliqueOf("b", "{startsAfter: [c, c]}"), cliqueOf("c", "{startsAfter: [a]}"), cliqueOf("d", `{startsAfter: ["", x]}`), cliqueOf("e", "{startsAfter: [e]}")),
			want: []string{
				`clique b: startsAfter "c" is not unique`,
				"clique d: startsAfter is empty",
				`clique d: startsAfter names no clique: ""`,
				`clique d: startsAfter names no clique: "x"`,
				"clique a: startsAfter leads back to it",
				"clique b: startsAfter leads back to it",
				"clique c: startsAfter leads back to it",
				"clique e: startsAfter leads back to it",
			},
		},
		"StartupNotExplicit": {
			reason: "Without an explicit order nobody looks at what a clique starts after.",
			set:    set(`{}`, cliqueOf("a", "{startsAfter: [a]}")),
		},
		"Pods": {
			reason: "Grove places pods itself, and adds variables of its own.",
			set: set(`{}`, cliqueOf("a", `{podSpec: {nodeName: node-1, topologySpreadConstraints: [{maxSkew: 1}],
				initContainers: [{name: i, env: [{name: 1A}]}], containers: [{name: main, env: [{name: A}, {name: B}, {name: A}]}, {name: side, env: [{name: A}]}]}}`)),
			want: []string{
				"clique a: topologySpreadConstraints are set",
				"clique a: nodeName is set",
				`clique a: container i: env "1A" is no name`,
				"clique a: container main: env A is not unique",
			},
		},
		"Schedulers": {
			reason: "A gang has one scheduler; absent counts as the default one.",
			set:    set(`{}`, cliqueOf("a", ""), cliqueOf("b", "{podSpec: {schedulerName: kai-scheduler}}")),
			want:   []string{"cliques have different schedulers: default-scheduler, kai-scheduler"},
		},
		"DefaultScheduler": {
			reason: "To name the default scheduler is to name none.",
			set:    set(`{}`, cliqueOf("a", ""), cliqueOf("b", "{podSpec: {schedulerName: default-scheduler}}")),
		},
		"Topology": {
			reason:   "Constraints of children are as narrow as those of their parents, or narrower, and inherit the name of the topology.",
			set:      constrained("{topologyName: dc, pack: {required: zone}}", "{pack: {required: rack}}", "{pack: {required: rack}}", "{pack: {required: zone, preferred: host}}"),
			topology: alpha12,
		},
		"TopologyHierarchy": {
			reason:   "A child broader than any parent is refused.",
			set:      constrained("{packDomain: block}", "{packDomain: rack}", "{packDomain: block}", "{packDomain: zone}"),
			topology: alpha6,
			want: []string{
				"clique m: domain block is broader than its parent's, rack",
				"clique c: domain zone is broader than its parent's, block",
			},
		},
		"TopologyPreferred": {
			reason:   "Preferred domains have a hierarchy of their own.",
			set:      constrained("{topologyName: dc, pack: {required: zone, preferred: rack}}", "null", "null", "{pack: {required: zone, preferred: block}}"),
			topology: alpha12,
			want:     []string{"clique c: domain block is broader than its parent's, rack"},
		},
		"TopologyDomain": {
			reason:   "Domains are those of the topology.",
			set:      constrained("null", "null", "null", "{packDomain: shelf}"),
			topology: alpha6,
			want:     []string{`clique c: there is no topology domain "shelf"`},
		},
		"TopologyNames": {
			reason:   "From alpha.9 on each constraint has a name, of its own or inherited, and it is that of the topology.",
			set:      constrained("null", "{topologyName: dc, pack: {required: rack}}", "{pack: {required: rack}}", "{pack: {required: rack}}"),
			topology: alpha12,
			want:     []string{"clique c: topologyName is required, and there is none to inherit"},
		},
		"TopologyOtherName": {
			reason:   "There is one topology for the whole set.",
			set:      constrained("{topologyName: dc, pack: {required: zone}}", "{topologyName: moon, pack: {required: rack}}", "null", "null"),
			topology: alpha12,
			want:     []string{`scaling group g: there is no topology "moon"`},
		},
		"TopologyNameOnly": {
			reason:   "A constraint constrains.",
			set:      constrained("{topologyName: dc}", "null", "null", "null"),
			topology: alpha12,
			want:     []string{"PodCliqueSet: the constraint has no pack.required or pack.preferred"},
		},
		"OldDialectOnNewGrove": {
			reason:   "From alpha.10 on packDomain is refused.",
			set:      constrained("{topologyName: dc, packDomain: zone}", "null", "null", "null"),
			topology: alpha12,
			want: []string{
				"PodCliqueSet: packDomain is deprecated and refused on new workloads",
				"PodCliqueSet: the constraint has no pack.required or pack.preferred",
			},
		},
		"NewDialectOnOldGrove": {
			reason:   "Before alpha.9 there is nothing but packDomain.",
			set:      constrained("{topologyName: dc, pack: {required: zone}}", "null", "null", "null"),
			topology: alpha6,
			want: []string{
				"PodCliqueSet: this version does not know pack",
				"PodCliqueSet: the constraint has no packDomain",
				"PodCliqueSet: this version does not know topologyName",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Webhook(tc.set, tc.topology)); diff != "" {
				t.Errorf("%s\nwant -, got +\n%s", tc.reason, diff)
			}
		})
	}
}
