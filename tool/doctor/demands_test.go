package doctor

import (
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// demands of docs/install.md, as they are on the page, and the checks that find them unmet.
func demands() map[string][]string {
	return map[string][]string{
		// Products.
		"Crossplane":                             {"crossplane"},
		"Grove":                                  {"grove"},
		"LeaderWorkerSet":                        {"leaderworkerset", "orchestrator"},
		"Volcano":                                {"volcano", "orchestrator"},
		"Kubernetes 1.37":                        {"orchestrator"},
		"Kueue":                                  nil, // No graph depends on it unless it has its label.
		"KAI":                                    {"kai"},
		"Kubernetes":                             {"kubernetes", "resource-claims"},
		"NVIDIA DRA driver":                      {"dra-driver"},
		"GPU Operator or device plugin":          nil, // Kubernetes says on each pod that there are no GPUs.
		"CRD `dynamoworkermetadatas.nvidia.com`": {"worker-metadata"},

		// Values of charts.
		"scheduler.args.default-staleness-grace-period=-1s": {"kai-staleness"},
		"crdInstaller.enabled=true":                         {"grove"},
		"config.topologyAwareScheduling.enabled=true":       {"grove-topology"},

		// Flags of Crossplane.
		"--circuit-breaker-burst=600":          {"circuit-breaker"},
		"--circuit-breaker-refill-rate=5":      {"circuit-breaker"},
		"--circuit-breaker-cooldown=1m":        {"circuit-breaker"},
		"--max-concurrent-reconciles=10":       {"concurrency"},
		"--enable-realtime-compositions=false": {"realtime-compositions"},

		// Manifests.
		"package/rbac.yaml":                                        {"crossplane-permissions"},
		"package/scalingadapter-crd.yaml":                          {"scaling-adapter"},
		"apis/dynamographdeploymentscalingadapter/definition.yaml": {"scaling-adapter"},
		"compositions/dynamographdeploymentscalingadapter.yaml":    {"scaling-adapter"},
		"package/runtime.yaml":                                     {"runtime-configuration", "function-replicas"},
		"package/queue.yaml":                                       {"kai-queue"},
		"_output/package/install.yaml":                             {"graph-definition", "configuration", "functions", "policy"},

		// What must not be there.
		"The Dynamo operator and its CRD `dynamographdeployments.nvidia.com` must not be installed": {"dynamo-operator", "webhooks", "graph-definition"},
		"do not let the pod grouper of KAI read graphs":                                             {"kai-pod-grouper"},
	}
}

// found on the page are what it asks for: its products, values of charts, flags of Crossplane, and manifests.
func found(page string) []string {
	var all []string
	_, table, _ := strings.Cut(page, "## What the cluster needs\n\n")
	table, _, _ = strings.Cut(table, "\n\n")
	for _, line := range strings.Split(table, "\n")[2:] {
		first := strings.Split(line, "|")[1]
		links := regexp.MustCompile(`\[([^\]]+)\]\(`).FindAllStringSubmatch(first, -1)
		for _, link := range links {
			all = append(all, strings.TrimPrefix(strings.TrimSuffix(link[1], " of Kueue"), "X"))
		}
		if len(links) == 0 {
			all = append(all, strings.TrimSpace(first))
		}
	}
	for _, match := range regexp.MustCompile("--set ([a-zA-Z.-]+=[^ \\n`]+)").FindAllStringSubmatch(page, -1) {
		all = append(all, match[1])
	}
	_, args, _ := strings.Cut(page, "--set 'args={")
	args, _, _ = strings.Cut(args, "}")
	all = append(all, strings.Split(args, ",")...)
	for _, match := range regexp.MustCompile(`kubectl (?:apply|create)(?: --server-side)? -f ([a-z_][a-z0-9_/-]+\.yaml)`).FindAllStringSubmatch(page, -1) {
		all = append(all, match[1])
	}
	return all
}

// TestDemands holds the table to the page and to the checks: the page has each row, each thing that the page asks for is in a row, and each
// check is in a row.
func TestDemands(t *testing.T) {
	data := harness.File(t, filepath.Join("docs", "install.md"))
	page := string(data)
	words := strings.Join(strings.Fields(page), " ")
	checked := map[string]bool{"your-permissions": true}
	var known []string
	for _, c := range checks() {
		known = append(known, c.name)
	}
	for demand, by := range demands() {
		if !strings.Contains(words, demand) {
			t.Errorf("docs/install.md does not have %q", demand)
		}
		for _, check := range by {
			checked[check] = true
			if !slices.Contains(known, check) {
				t.Errorf("%s: there is no check %s", demand, check)
			}
		}
	}
	for _, check := range known {
		if !checked[check] {
			t.Errorf("no demand of docs/install.md is checked by %s", check)
		}
	}
	elsewhere := []string{"examples/agg-vllm.yaml", "package/imageconfigs/mirror.yaml", "Kubernetes 1.37"}
	for _, asked := range found(page) {
		if _, is := demands()[asked]; !is && !slices.Contains(elsewhere, asked) {
			t.Errorf("docs/install.md asks for %q, which is no demand", asked)
		}
	}
}

// everything is the healthy cluster with all products.
func everything() *Facts {
	f := healthy()
	f.Groups = append(f.Groups, "leaderworkerset.x-k8s.io", "scheduling.volcano.sh", "resource.nvidia.com")
	f.Served[lwsVersion] = []string{kindLeaderWorkerSet}
	f.Served[volcanoVersion] = []string{kindPodGroup, kindQueue}
	f.Served["resource.nvidia.com/v1beta1"] = []string{"ComputeDomain"}
	f.Deployments = append(f.Deployments,
		running("lws-system", "lws-controller-manager", "", "registry.k8s.io/lws/lws:v0.10.0"),
		running("volcano-system", "volcano-scheduler", "", "docker.io/volcanosh/vc-scheduler:v1.15.1"),
		running("volcano-system", "volcano-controllers", "", "docker.io/volcanosh/vc-controller-manager:v1.15.1"),
		running("nvidia-dra-driver-gpu", "nvidia-dra-driver-gpu-controller", "", "nvcr.io/nvidia/dra-driver-nvidia-gpu:v25.12.0"),
	)
	return f
}

// breaks of a cluster, by what is broken: each Deployment, flag, kind, object and permission of it.
func breaks(healthy *Facts) map[string]func(*Facts) {
	all := map[string]func(*Facts){
		"topology off": func(f *Facts) { f.GroveTopology = new(false) },
		"realtime off": deployed("crossplane", func(d *Deployment) {
			d.containers()[0].Args = append(d.containers()[0].Args, "--enable-realtime-compositions=false")
		}),
		"operator": func(f *Facts) {
			f.Deployments = append(f.Deployments, operators("dynamo-operator"))
		},
		"webhook": func(f *Facts) { f.Webhooks = []Webhook{{Name: "dynamo", Operator: true}} },
		"grouper reads": func(f *Facts) {
			readable(f)
			tagged("pod-grouper", "v0.16.0")(f)
			tagged("grove-operator", "v0.1.0-alpha.12")(f)
		},
		"old kubernetes":     func(f *Facts) { f.Kubernetes = "v1.29.0" },
		"policy":             func(f *Facts) { f.Compositions[0].Errors = []string{"kai.queu: unknown field"} },
		"missing permission": func(f *Facts) { f.Refused[CrossplaneAccess] = []preview.Access{{Verb: "create", Resource: "services"}} },
		"your permission":    func(f *Facts) { f.Refused[OwnAccess] = []preview.Access{{Verb: "get", Resource: "pods"}} },
	}
	for i, d := range healthy.Deployments {
		all["0 replicas of "+d.Name] = func(f *Facts) { f.Deployments[i].Spec.Replicas = new(int32(0)) }
		if d.Name == "crossplane-rbac-manager" {
			delete(all, "0 replicas of "+d.Name)
			continue
		}
		all["none ready of "+d.Name] = func(f *Facts) { f.Deployments[i].Status.ReadyReplicas = 0 }
		for k, arg := range d.containers()[0].Args {
			if strings.HasPrefix(arg, "--") {
				all["no "+arg] = func(f *Facts) {
					f.Deployments[i].containers()[0].Args = slices.Delete(slices.Clone(d.containers()[0].Args), k, k+1)
				}
			}
		}
		if !strings.Contains(d.Name, "function") {
			all["no "+d.Name] = func(f *Facts) { f.Deployments = slices.Delete(f.Deployments, i, i+1) }
		}
	}
	for version, kinds := range healthy.Served {
		for i, kind := range kinds {
			if version == "nvidia.com/v1alpha1" && kind == kindGraph {
				continue
			}
			all["no "+kind+" of "+version] = func(f *Facts) { f.Served[version] = slices.Delete(slices.Clone(kinds), i, i+1) }
		}
	}
	// Each list of objects loses its last one, or becomes empty.
	for _, list := range []string{"CustomResources", "Definitions", "Compositions", "Functions", "RuntimeConfigs", "Queues"} {
		all["fewer "+list] = func(f *Facts) {
			field := reflect.ValueOf(f).Elem().FieldByName(list)
			field.Set(field.Slice(0, field.Len()-1))
		}
	}
	for list, of := range map[string]func(*Facts) []Package{
		"Configurations": func(f *Facts) []Package { return f.Configurations }, "Functions": func(f *Facts) []Package { return f.Functions },
	} {
		all["unhealthy "+list] = func(f *Facts) { of(f)[len(of(f))-1].Status.Conditions = conditions("Installed") }
	}
	return all
}

// TestBreaks breaks one thing after another in a cluster in which nothing is wrong: something is said of each, and each check says something of
// one of them.
func TestBreaks(t *testing.T) {
	if r := Examine(everything()); r.Has(Problem) || r.Has(Warning) {
		t.Fatalf("want nothing to be wrong, got %+v", r.Findings)
	}
	all := breaks(everything())
	complained := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		f := everything()
		all[name](f)
		var by []string
		for _, finding := range Examine(f).Findings {
			if finding.State == Problem || finding.State == Warning {
				by = append(by, finding.Check)
				complained[finding.Check] = true
			}
		}
		if len(by) == 0 {
			t.Errorf("%s: want a problem or a warning", name)
		}
	}
	for _, c := range checks() {
		// Grove is enough for all graphs, so that no single break leaves a cluster without an orchestrator.
		if !complained[c.name] && c.name != "orchestrator" {
			t.Errorf("nothing that is broken is found by %s", c.name)
		}
	}
	t.Logf("%d breaks", len(all))
}
