package doctor

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// healthy is a cluster with Grove and KAI in which graphs are installed, and nothing is wrong.
func healthy() *Facts {
	return &Facts{
		Kubernetes: "v1.34.1-gke.1080000",
		Groups:     []string{"", "apps", "grove.io", "nvidia.com", "resource.k8s.io", "scheduling.run.ai", "apiextensions.crossplane.io", "pkg.crossplane.io"},
		Served: map[string][]string{
			"apiextensions.crossplane.io/v1": {kindDefinition, kindComposition},
			groveVersion:                     {"PodClique", kindPodCliqueSet, "PodCliqueScalingGroup"},
			kaiVersion:                       {kindQueue},
			claimsVersion:                    {kindClaimTemplate},
			graphVersion:                     {kindGraph},
			"nvidia.com/v1alpha1":            {kindGraph, kindWorkerMetadata},
		},
		Deployments: []Deployment{
			running("crossplane-system", "crossplane-rbac-manager", "rbac-manager", "xpkg.crossplane.io/crossplane/crossplane:v2.4.0", "rbac", "start"),
			running("crossplane-system", "crossplane", "crossplane", "xpkg.crossplane.io/crossplane/crossplane:v2.4.0", "core", "start", "--circuit-breaker-burst=600",
				"--circuit-breaker-refill-rate", "5", "--circuit-breaker-cooldown=1m", "--max-concurrent-reconciles=10"),
			running("grove-system", "grove-operator", "", "ghcr.io/ai-dynamo/grove/grove-operator:v0.1.0-alpha.13"),
			running("kai-scheduler", "pod-grouper", "pod-grouper", "localhost:5000/kai-scheduler/podgrouper:v0.17.0@sha256:0a"),
			running("kai-scheduler", "kai-scheduler-default", "", "localhost:5000/kai-scheduler/scheduler:v0.17.0", "--default-staleness-grace-period=-1s"),
			running("kai-scheduler", "binder", "", "localhost:5000/kai-scheduler/binder:v0.17.0"),
			running("crossplane-system", "dynamo-crossplane-function-dynamo-graph-0a", "", "xpkg.crossplane.io/dynamo-crossplane/function-dynamo-graph@sha256:0a"),
		},
		GroveTopology: new(true),
		CustomResources: []Definition{
			defined("dynamographdeployments.nvidia.com", kindDefinition), defined("dynamographdeploymentscalingadapters.nvidia.com", kindDefinition),
		},
		Definitions:    []Definition{established("dynamographdeployments.nvidia.com", kindGraph)},
		Compositions:   []Composition{{Name: "dynamographdeployment", Functions: []string{"dynamo-crossplane-function-dynamo-graph"}, Policy: &v1alpha1.Input{}}},
		Configurations: []Package{packaged("configuration-dynamo", "xpkg.crossplane.io/dynamo-crossplane/configuration-dynamo:v0.2.0", "")},
		Functions: []Package{
			packaged("dynamo-crossplane-function-dynamo-graph", "xpkg.crossplane.io/dynamo-crossplane/function-dynamo-graph@sha256:0a", runtimeConfig),
		},
		RuntimeConfigs: []string{"default", runtimeConfig},
		Queues:         []Queue{queued("default-queue", ""), queued("inference", ""), queued("dynamo", "inference")},
		Refused: map[Source][]preview.Access{GrouperAccess: {
			{Verb: "get", Group: group, Resource: resourceGraphs}, {Verb: "get", Group: group, Resource: resourceComposites},
		}},
		Forbidden: map[Source]preview.ForbiddenError{},
		Namespace: "inference",
	}
}

// running Deployment of two pods, each with one container.
func running(namespace, name, account, image string, args ...string) Deployment {
	d := Deployment{}
	d.Namespace, d.Name, d.Spec.Replicas, d.Status.ReadyReplicas = namespace, name, new(int32(2)), 2
	d.Spec.Template.Spec = corev1.PodSpec{ServiceAccountName: account, Containers: []corev1.Container{{Image: image, Args: args}}}
	return d
}

// operators Deployment is one of the Dynamo operator.
func operators(name string) Deployment {
	d := running("dynamo-system", name, "", "")
	d.Labels = map[string]string{"app.kubernetes.io/part-of": "dynamo-operator"}
	return d
}

// defined is a CustomResourceDefinition that an object of a kind controls. An empty kind: none does.
func defined(name, controller string) Definition {
	d := Definition{}
	if d.Name = name; controller != "" {
		d.OwnerReferences = []metav1.OwnerReference{{Kind: controller, Controller: new(true)}}
	}
	return d
}

// established is a CompositeResourceDefinition that is served.
func established(name, kind string) Definition {
	d := defined(name, "")
	d.Spec.Names.Kind, d.Status.Conditions = kind, conditions("Established")
	return d
}

// packaged is a package that works.
func packaged(name, image, config string) Package {
	p := Package{}
	p.Name, p.Spec.Package, p.Spec.RuntimeConfigRef.Name, p.Status.Conditions = name, image, config, conditions("Installed", "Healthy")
	return p
}

func queued(name, parent string) Queue {
	q := Queue{}
	q.Name, q.Spec.ParentQueue = name, parent
	return q
}

// conditions that are True.
func conditions(types ...string) []metav1.Condition {
	var all []metav1.Condition
	for _, t := range types {
		all = append(all, metav1.Condition{Type: t, Status: metav1.ConditionTrue})
	}
	return all
}

// broken makes a condition False with a message.
func broken(conditions []metav1.Condition, conditionType, message string) {
	c := meta.FindStatusCondition(conditions, conditionType)
	c.Status, c.Message = metav1.ConditionFalse, message
}

// empty is a cluster with Crossplane in which graphs are not installed yet.
func empty() *Facts {
	f := healthy()
	f.Groups = []string{"", "apps", "apiextensions.crossplane.io", "pkg.crossplane.io"}
	f.Served = map[string][]string{"apiextensions.crossplane.io/v1": {kindDefinition, kindComposition}}
	f.Deployments = f.Deployments[:2]
	f.CustomResources, f.Definitions, f.Compositions, f.Configurations, f.Functions, f.Queues = nil, nil, nil, nil, nil, nil
	return f
}

// claims is the healthy cluster with the flavour of claims.
func claims(f *Facts) {
	f.Definitions[0] = established("xdynamographdeployments.nvidia.com", kindComposite)
}

// tagged gives the image of a Deployment another tag.
func tagged(name, tag string) func(*Facts) {
	return func(f *Facts) {
		i := slices.IndexFunc(f.Deployments, func(d Deployment) bool { return d.Name == name })
		container := &f.Deployments[i].containers()[0]
		image, _, _ := strings.Cut(container.Image, "@")
		container.Image = image[:strings.LastIndex(image, ":")+1] + tag
	}
}

// deployed changes a Deployment.
func deployed(name string, change func(*Deployment)) func(*Facts) {
	return func(f *Facts) {
		change(&f.Deployments[slices.IndexFunc(f.Deployments, func(d Deployment) bool { return d.Name == name })])
	}
}

// readable lets the pod grouper read graphs.
func readable(f *Facts) { f.Refused[GrouperAccess] = nil }

// TestHealthy checks that a cluster in which nothing is wrong is reported as such: what it does not have is skipped.
func TestHealthy(t *testing.T) {
	r := Examine(healthy())
	for _, f := range r.Findings {
		absent := slices.Contains([]string{"leaderworkerset", "volcano", "dra-driver"}, f.Check)
		if want := map[bool]State{true: Skipped, false: OK}[absent]; f.State != want || f.Remedy != "" || f.Message == "" {
			t.Errorf("want %s of check %s, got %+v", want, f.Check, f)
		}
	}
	if !r.Installed || r.Has(Problem) || r.Has(Warning) {
		t.Errorf("want graphs to be installed without a problem, got %+v", r)
	}
}

// TestExamine changes one thing in a cluster, and looks at the check that is about it.
func TestExamine(t *testing.T) {
	cases := map[string]struct {
		reason string
		facts  *Facts
		change []func(*Facts)
		check  string
		state  State
		// message and remedy are parts of what is said.
		message, remedy string
	}{
		"OldKubernetes": {
			reason: "Kubernetes is compared with what the recommended release of Dynamo needs.",
			change: []func(*Facts){func(f *Facts) { f.Kubernetes = "v1.29.3+k3s1" }},
			check:  "kubernetes", state: Warning, message: "Kubernetes v1.29.3 is older than v1.30.0, which release 1.5 of Dynamo needs.", remedy: "Upgrade Kubernetes",
		},
		"NoCrossplane": {
			reason: "Nothing runs without Crossplane, so that it is missing is a problem.",
			facts:  &Facts{Kubernetes: "v1.34.1", Groups: []string{"", "apps"}},
			check:  "crossplane", state: Problem, message: "Crossplane is not installed.", remedy: "docs/install.md",
		},
		"OldCrossplane": {
			reason: "A version on which no graph runs is a problem.",
			change: []func(*Facts){tagged("crossplane", "v1.20.1")},
			check:  "crossplane", state: Problem, message: "Crossplane v1.20.1 is too old: graphs need v2.0.0 or later.", remedy: "Upgrade Crossplane.",
		},
		"Sidecar": {
			reason: "The version is that of the controller, and not of a container beside it.",
			change: []func(*Facts){deployed("crossplane", func(d *Deployment) {
				d.Spec.Template.Spec.Containers = append([]corev1.Container{{Image: "docker.io/istio/proxyv2:1.27.0"}}, d.containers()...)
			})},
			check: "crossplane", state: OK, message: "Crossplane v2.4.0 works",
		},
		"Distribution": {
			reason: "The version of somebody else's distribution is not guessed.",
			change: []func(*Facts){tagged("crossplane", "v2.0.0-up.1")},
			check:  "crossplane", state: Skipped, message: "Crossplane v2.0.0-up.1 cannot be compared",
		},
		"OlderGrove": {
			reason: "A version that works with earlier releases of Dynamo only is a warning.",
			change: []func(*Facts){tagged("grove-operator", "v0.1.0-alpha.8")},
			check:  "grove", state: Warning, message: "Grove v0.1.0-alpha.8 is older than v0.1.0-alpha.13, which release 1.5 of Dynamo needs.", remedy: "unless all images are of earlier releases",
		},
		"MissingKind": {
			reason: "A product whose kinds are not served does not work, whatever its version is.",
			change: []func(*Facts){func(f *Facts) { f.Served[groveVersion] = []string{"PodClique"} }},
			check:  "grove", state: Problem, message: "the cluster does not serve PodCliqueSet and PodCliqueScalingGroup of grove.io/v1alpha1.", remedy: "CustomResourceDefinitions of Grove",
		},
		"UnknownImage": {
			reason: "Kinds without a controller that is known are a warning: it may not run.",
			change: []func(*Facts){func(f *Facts) { f.Deployments = f.Deployments[:2] }},
			check:  "grove", state: Warning, message: "no Deployment has its image (grove-operator)", remedy: "Check that its controller runs",
		},
		"ForbiddenVersion": {
			reason: "A version that may not be read is not taken for one that is not there.",
			change: []func(*Facts){func(f *Facts) {
				f.Deployments = nil
				f.Forbidden[Deployments] = preview.ForbiddenError{Verb: "list", Resource: "deployments.apps"}
			}},
			check: "kai", state: Skipped, message: "KAI is installed, but its version is not known. You may not list deployments.apps in the whole cluster.",
		},
		"Sets": {
			reason: "Without Grove, components that span nodes need both LeaderWorkerSet and Volcano.",
			change: []func(*Facts){func(f *Facts) { f.Served = map[string][]string{lwsVersion: {kindLeaderWorkerSet}} }},
			check:  "orchestrator", state: Warning, message: "without Volcano", remedy: "Install Volcano, or Grove",
		},
		"NoGrove": {
			reason: "Where Grove is not installed, its topology is not looked for.",
			change: []func(*Facts){func(f *Facts) { delete(f.Served, groveVersion) }, func(f *Facts) { f.GroveTopology = nil }},
			check:  "grove-topology", state: Skipped, message: "Grove is not installed.",
		},
		"GangsAlone": {
			reason: "A scheduler of gangs is not enough: something has to create the pods of several nodes.",
			change: []func(*Facts){func(f *Facts) {
				f.Served = map[string][]string{volcanoVersion: {kindPodGroup, kindQueue}, "scheduling.k8s.io/v1beta1": {kindPodGroup, "Workload"}}
			}},
			check: "orchestrator", state: Warning, message: "Neither Grove nor LeaderWorkerSet", remedy: "Install Grove",
		},
		"SetsAndGangs": {
			reason: "Components that span nodes run on LeaderWorkerSets with gangs of Volcano.",
			change: []func(*Facts){func(f *Facts) {
				f.Served = map[string][]string{lwsVersion: {kindLeaderWorkerSet}, volcanoVersion: {kindPodGroup, kindQueue}}
			}},
			check: "orchestrator", state: OK, message: "on LeaderWorkerSets, with gangs of Volcano",
		},
		"SetsAndNativeGangs": {
			reason: "Kubernetes makes gangs itself where the platform turns them on.",
			change: []func(*Facts){func(f *Facts) {
				f.Served = map[string][]string{lwsVersion: {kindLeaderWorkerSet}, "scheduling.k8s.io/v1beta1": {kindPodGroup, "Workload"}}
			}},
			check: "orchestrator", state: OK, message: "on LeaderWorkerSets, with gangs of Kubernetes",
		},
		"NoOrchestrator": {
			reason: "Graphs of single nodes need no orchestrator, so it is no problem that there is none.",
			facts:  empty(), check: "orchestrator", state: Warning, message: "Neither Grove nor LeaderWorkerSet is installed", remedy: "if you need such components",
		},
		"NoClaims": {
			reason: "Kubernetes before 1.34 does not have the claims with which the containers of a pod share GPUs.",
			facts:  empty(), check: "resource-claims", state: Warning, message: "does not serve ResourceClaimTemplate of resource.k8s.io/v1", remedy: "Upgrade Kubernetes to 1.34",
		},
		"DefaultBreaker": {
			reason: "Two or three pods that Grove replaces use up the tokens of Crossplane's defaults.",
			change: []func(*Facts){func(f *Facts) { f.Deployments[1].containers()[0].Args = []string{"core", "start"} }},
			check:  "circuit-breaker", state: Warning, message: "100 tokens for each graph and adds 1 per second: enough for 16 pods that start at once, or for 2 pods that Grove replaces at once", remedy: "--circuit-breaker-burst=600",
		},
		"DefaultBreakerWithoutGrove": {
			reason: "Without Grove the defaults are enough for graphs of usual size.",
			change: []func(*Facts){func(f *Facts) {
				f.Deployments[1].containers()[0].Args, f.Served[groveVersion] = []string{"core", "start"}, nil
			}},
			check: "circuit-breaker", state: OK, message: "enough for 16 pods",
		},
		"NoBreaker": {
			reason: "Crossplane 2.0 knows neither the breaker nor its flags.",
			change: []func(*Facts){tagged("crossplane", "v2.0.2")},
			check:  "circuit-breaker", state: OK, message: "no circuit breaker",
		},
		"Concurrency": {
			reason: "A platform that has chosen how many graphs are reconciled at a time knows its API server.",
			facts:  healthy(), check: "concurrency", state: OK, message: "reconciles 10 graphs at a time",
		},
		"OldFlagOfConcurrency": {
			reason: "The flag had another name, which still works.",
			change: []func(*Facts){func(f *Facts) {
				f.Deployments[1].containers()[0].Args = []string{"core", "start", "--max-reconcile-rate=20"}
			}},
			check: "concurrency", state: OK, message: "reconciles 20 graphs at a time",
		},
		"DefaultConcurrency": {
			reason: "By default, graphs that are created together wait for each other.",
			change: []func(*Facts){func(f *Facts) { f.Deployments[1].containers()[0].Args = []string{"core", "start"} }},
			check:  "concurrency", state: Warning, message: "100 graphs at a time, which is its default", remedy: "--max-concurrent-reconciles=10",
		},
		"OldConcurrency": {
			reason: "Earlier versions reconcile fewer graphs at a time by default.",
			change: []func(*Facts){tagged("crossplane", "v2.0.2"), func(f *Facts) { f.Deployments[1].containers()[0].Args = []string{"core", "start"} }},
			check:  "concurrency", state: OK, message: "before v2.1.0 reconciles few graphs at a time",
		},
		"ConcurrencyWithoutCrossplane": {
			reason: "Without Crossplane there is nothing to find.",
			change: []func(*Facts){func(f *Facts) { f.Deployments = nil }},
			check:  "concurrency", state: Skipped, message: "No Deployment of Crossplane",
		},
		"Idle": {
			reason: "A controller without pods does nothing, whatever its version is.",
			change: []func(*Facts){deployed("grove-operator", func(d *Deployment) { d.Spec.Replicas = new(int32(0)) })},
			check:  "grove", state: Problem, message: "Deployment grove-operator in namespace grove-system has 0 replicas.", remedy: "kubectl scale deployment grove-operator --namespace=grove-system --replicas=1",
		},
		"NoneReady": {
			reason: "A controller whose pods are not ready does nothing either.",
			change: []func(*Facts){deployed("crossplane", func(d *Deployment) { d.Status.ReadyReplicas = 0 })},
			check:  "crossplane", state: Problem, message: "No pod of Deployment crossplane in namespace crossplane-system is ready.", remedy: "kubectl describe deployment crossplane --namespace=crossplane-system",
		},
		"NoBinder": {
			reason: "KAI binds no pod without its binder.",
			change: []func(*Facts){func(f *Facts) {
				f.Deployments = slices.DeleteFunc(f.Deployments, func(d Deployment) bool { return d.Name == "binder" })
			}},
			check: "kai", state: Problem, message: "no Deployment runs its binder", remedy: "Install KAI again",
		},
		"OtherScheduler": {
			reason: "A scheduler in another namespace is not that of KAI.",
			change: []func(*Facts){deployed("kai-scheduler-default", func(d *Deployment) { d.Namespace = "airflow" })},
			check:  "kai", state: Problem, message: "no Deployment runs its scheduler", remedy: "Install KAI again",
		},
		"Staleness": {
			reason: "By default, KAI removes a gang that has lost a pod.",
			change: []func(*Facts){deployed("kai-scheduler-default", func(d *Deployment) { d.containers()[0].Args = nil })},
			check:  "kai-staleness", state: Warning, message: "It removes all pods of a gang that has lacked a pod for 1m.", remedy: "scheduler.args.default-staleness-grace-period=-1s",
		},
		"ShortStaleness": {
			reason: "A period of its own is no endless one.",
			change: []func(*Facts){deployed("kai-scheduler-default", func(d *Deployment) {
				d.containers()[0].Args = []string{"--default-staleness-grace-period", "10m"}
			})},
			check: "kai-staleness", state: Warning, message: "lacked a pod for 10m.", remedy: "-1s",
		},
		"StalenessUnused": {
			reason: "A platform whose graphs do not use KAI needs no flag of it.",
			change: []func(*Facts){func(f *Facts) { f.Compositions[0].Policy.KAI.Mode = v1alpha1.ModeDisabled }},
			check:  "kai-staleness", state: Skipped, message: "does not use KAI",
		},
		"NoRealtime": {
			reason: "Without its watches, Crossplane polls.",
			change: []func(*Facts){deployed("crossplane", func(d *Deployment) {
				d.containers()[0].Args = append(d.containers()[0].Args, "--enable-realtime-compositions=false")
			})},
			check: "realtime-compositions", state: Warning, message: "up to a minute late", remedy: "Remove --enable-realtime-compositions=false",
		},
		"LongCooldown": {
			reason: "A breaker that stays open for five minutes delays edits as long.",
			change: []func(*Facts){deployed("crossplane", func(d *Deployment) {
				d.containers()[0].Args = []string{"core", "start", "--circuit-breaker-burst=600", "--circuit-breaker-refill-rate=5"}
			})},
			check: "circuit-breaker", state: Warning, message: "stays open for 5m0s", remedy: "--circuit-breaker-cooldown=1m",
		},
		"ManyReconciles": {
			reason: "More than the default is no better than the default.",
			change: []func(*Facts){deployed("crossplane", func(d *Deployment) {
				d.containers()[0].Args = []string{"core", "start", "--max-concurrent-reconciles=500"}
			})},
			check: "concurrency", state: Warning, message: "500 graphs at a time. Graphs that", remedy: "--max-concurrent-reconciles=10",
		},
		"TopologyOff": {
			reason: "Grove refuses topology constraints while its topology is switched off.",
			change: []func(*Facts){func(f *Facts) { f.GroveTopology = new(false) }},
			check:  "grove-topology", state: Warning, message: "Topology is switched off in Grove", remedy: "config.topologyAwareScheduling.enabled=true",
		},
		"TopologyUnknown": {
			reason: "A configuration that was not found is not taken for one without topology.",
			change: []func(*Facts){func(f *Facts) { f.GroveTopology = nil }},
			check:  "grove-topology", state: Skipped, message: "was not found",
		},
		"OneFunctionPod": {
			reason: "While the only pod of a function is replaced, edits wait.",
			change: []func(*Facts){deployed("dynamo-crossplane-function-dynamo-graph-0a", func(d *Deployment) { d.Spec.Replicas, d.Status.ReadyReplicas = new(int32(1)), 1 })},
			check:  "function-replicas", state: Warning, message: "There is one pod of dynamo-crossplane-function-dynamo-graph-0a.", remedy: "package/runtime.yaml",
		},
		"NoFunctionPod": {
			reason: "Without functions no edit is applied, although Crossplane may still call the package healthy.",
			change: []func(*Facts){deployed("dynamo-crossplane-function-dynamo-graph-0a", func(d *Deployment) { d.Status.ReadyReplicas = 0 })},
			check:  "function-replicas", state: Problem, message: "is ready. No edit of a graph is applied.", remedy: "kubectl describe deployment",
		},
		"Operator": {
			reason: "The Dynamo operator would make the objects of each graph a second time.",
			change: []func(*Facts){func(f *Facts) {
				f.Deployments = append(f.Deployments, operators("dynamo-platform-dynamo-operator-controller-manager"))
			}},
			check: "dynamo-operator", state: Problem, message: "runs as Deployment dynamo-platform-dynamo-operator-controller-manager in namespace dynamo-system", remedy: "docs/moving-in.md",
		},
		"OperatorsWebhooks": {
			reason: "Webhooks that the operator has left behind refuse every graph.",
			change: []func(*Facts){func(f *Facts) {
				f.Webhooks = []Webhook{{Kind: "MutatingWebhookConfiguration", Name: "dynamo-mutating", Operator: true}, {Kind: "ValidatingWebhookConfiguration", Name: "mine"}}
			}},
			check: "webhooks", state: Problem, message: "graphs: MutatingWebhookConfiguration dynamo-mutating.", remedy: "Delete the webhooks",
		},
		"OtherWebhooks": {
			reason: "A platform may have webhooks of its own.",
			change: []func(*Facts){func(f *Facts) { f.Webhooks = []Webhook{{Kind: "ValidatingWebhookConfiguration", Name: "mine"}} }},
			check:  "webhooks", state: Warning, message: "ValidatingWebhookConfiguration mine", remedy: "Check that the webhooks are yours",
		},
		"NoWorkerMetadata": {
			reason: "Without the kind, frontends find no worker.",
			facts:  empty(), check: "worker-metadata", state: Problem, message: "DynamoWorkerMetadata is not served", remedy: "from your release of Dynamo",
		},
		"Etcd": {
			reason: "Graphs that use etcd do not publish anything in Kubernetes.",
			change: []func(*Facts){func(f *Facts) {
				f.Served["nvidia.com/v1alpha1"] = nil
				f.Compositions[0].Policy.Discovery.Backend = v1alpha1.DiscoveryEtcd
			}},
			check: "worker-metadata", state: OK, message: "Graphs use etcd",
		},
		"NoQueue": {
			reason: "Graphs without a queue are refused, and the file with the default queue is the remedy.",
			change: []func(*Facts){func(f *Facts) { f.Queues = f.Queues[:2] }},
			check:  "kai-queue", state: Problem, message: "Queue dynamo does not exist", remedy: "kubectl apply --server-side -f queue.yaml",
		},
		"NoQueueBefore": {
			reason: "Also before the installation: the queue is not part of install.yaml.",
			facts:  empty(),
			change: []func(*Facts){func(f *Facts) { f.Served[kaiVersion] = []string{kindQueue} }},
			check:  "kai-queue", state: Problem, message: "Queue dynamo does not exist", remedy: "queue.yaml",
		},
		"OtherQueue": {
			reason: "The queue is that of the policy of the platform, which queue.yaml does not have.",
			change: []func(*Facts){func(f *Facts) { f.Compositions[0].Policy.KAI.Queue = "research" }},
			check:  "kai-queue", state: Problem, message: "Queue research does not exist", remedy: "Create Queue research",
		},
		"NoParent": {
			reason: "KAI schedules nothing in a queue whose parent is missing.",
			change: []func(*Facts){func(f *Facts) { f.Queues = f.Queues[2:] }},
			check:  "kai-queue", state: Problem, message: "Queue dynamo has parent inference, which does not exist", remedy: "Create Queue inference.",
		},
		"QueueNotUsed": {
			reason: "A platform that does not use KAI needs no queue.",
			change: []func(*Facts){func(f *Facts) { f.Compositions[0].Policy.KAI.Mode, f.Queues = v1alpha1.ModeDisabled, nil }},
			check:  "kai-queue", state: Skipped, message: "does not use KAI",
		},
		"NoKAI": {
			reason: "Without KAI there are no queues.",
			facts:  empty(), check: "kai-queue", state: Skipped, message: "KAI is not installed.",
		},
		"OldGrouper": {
			reason: "KAI before 0.17 that may read graphs loses their gangs, and nothing else says so.",
			change: []func(*Facts){readable, tagged("pod-grouper", "v0.13.4"), tagged("grove-operator", "v0.1.0-alpha.8")},
			check:  "kai-pod-grouper", state: Problem, message: "KAI v0.13.4 may read DynamoGraphDeployments, a kind that it does not know. Graphs lose gangs and topology silently",
			remedy: "Upgrade KAI to v0.17.0 or later, or remove the permission to read dynamographdeployments.nvidia.com from ServiceAccount kai-scheduler/pod-grouper",
		},
		"OldGrouperWithItsOwnRole": {
			reason: "With the role of its chart it cannot read graphs, and is right.",
			change: []func(*Facts){tagged("pod-grouper", "v0.13.4"), tagged("grove-operator", "v0.1.0-alpha.8")},
			check:  "kai-pod-grouper", state: OK, message: "may not read graphs",
		},
		"OldGrouperBeforeNewGrove": {
			reason: "KAI before 0.15 does not know that a newer Grove has made the gangs.",
			change: []func(*Facts){readable, tagged("pod-grouper", "v0.14.4")},
			check:  "kai-pod-grouper", state: Problem, message: "KAI v0.14.4 may read", remedy: "Upgrade KAI",
		},
		"NewGrove": {
			reason: "A newer Grove makes the gangs itself, and KAI since 0.15 leaves them alone.",
			change: []func(*Facts){readable, tagged("pod-grouper", "v0.16.8")},
			check:  "kai-pod-grouper", state: OK, message: "Grove makes the gangs",
		},
		"NewGrouper": {
			reason: "KAI from 0.17 on skips graphs of every version.",
			change: []func(*Facts){readable, tagged("grove-operator", "v0.1.0-alpha.8")},
			check:  "kai-pod-grouper", state: OK, message: "KAI v0.17.0 makes gangs of the workloads of graphs",
		},
		"Composites": {
			reason: "No version of KAI knows the composite resources of claims.",
			change: []func(*Facts){readable, claims, tagged("grove-operator", "v0.1.0-alpha.8")},
			check:  "kai-pod-grouper", state: Problem, message: "may read XDynamoGraphDeployments", remedy: "Remove the permission to read xdynamographdeployments.nvidia.com from",
		},
		"ForbiddenReview": {
			reason: "Who may not ask for the pod grouper is told so.",
			change: []func(*Facts){readable, func(f *Facts) {
				f.Forbidden[GrouperAccess] = preview.ForbiddenError{Verb: "create", Resource: "subjectaccessreviews.authorization.k8s.io"}
			}},
			check: "kai-pod-grouper", state: Skipped, message: "You may not create subjectaccessreviews.authorization.k8s.io in the whole cluster.",
		},
		"OperatorsDefinition": {
			reason: "Crossplane would take over the definition of the operator, with all graphs, already before the installation.",
			facts:  empty(),
			change: []func(*Facts){func(f *Facts) { f.CustomResources = []Definition{defined("dynamographdeployments.nvidia.com", "")} }},
			check:  "graph-definition", state: Problem, message: "belongs to the Dynamo operator", remedy: "docs/moving-in.md",
		},
		"BothFlavours": {
			reason: "A cluster has one flavour.",
			change: []func(*Facts){func(f *Facts) { f.Definitions = append(f.Definitions, established("", kindComposite)) }},
			check:  "graph-definition", state: Problem, message: "Both flavors", remedy: "Uninstall",
		},
		"NotEstablished": {
			reason: "Crossplane says what is wrong with a definition.",
			change: []func(*Facts){func(f *Facts) { broken(f.Definitions[0].Status.Conditions, "Established", "a field is invalid.") }},
			check:  "graph-definition", state: Problem, message: "is not established: a field is invalid.", remedy: "kubectl describe compositeresourcedefinition dynamographdeployments.nvidia.com",
		},
		"Converted": {
			reason: "A webhook of the operator may be left in a definition that was taken over.",
			change: []func(*Facts){func(f *Facts) { f.CustomResources[0].Spec.Conversion.Strategy = "Webhook" }},
			check:  "graph-definition", state: Problem, message: "A webhook converts graphs", remedy: "install.yaml",
		},
		"NotServed": {
			reason: "A definition alone is not enough.",
			change: []func(*Facts){func(f *Facts) { f.Served[graphVersion] = nil }},
			check:  "graph-definition", state: Problem, message: "DynamoGraphDeployment of nvidia.com/v1beta1 is not served", remedy: "install.yaml",
		},
		"NoDefinition": {
			reason: "Half of an installation is no cluster before the installation.",
			change: []func(*Facts){func(f *Facts) { f.Definitions, f.CustomResources = nil, nil }},
			check:  "graph-definition", state: Problem, message: "There is no CompositeResourceDefinition", remedy: "Apply install.yaml again",
		},
		"ForbiddenDefinition": {
			reason: "Most users may not read definitions, and see by the served kind that graphs are installed.",
			change: []func(*Facts){func(f *Facts) {
				forbidden := preview.ForbiddenError{Verb: "get", Resource: "compositeresourcedefinitions.apiextensions.crossplane.io"}
				f.Definitions, f.Configurations, f.Functions = nil, nil, nil
				f.Forbidden = map[Source]preview.ForbiddenError{Definitions: forbidden, Configurations: {Verb: "list", Resource: "configurations.pkg.crossplane.io"}}
			}},
			check: "configuration", state: Skipped, message: "You may not list configurations.pkg.crossplane.io",
		},
		"OperatorsAdapters": {
			reason: "The operator's definition of adapters needs its webhook.",
			change: []func(*Facts){func(f *Facts) { f.CustomResources[1].Spec.Conversion.Strategy = "Webhook" }},
			check:  "scaling-adapter", state: Problem, message: "A webhook of the Dynamo operator converts", remedy: "-f apis/dynamographdeploymentscalingadapter/definition.yaml",
		},
		"BareAdapters": {
			reason: "Adapters that are no composite resources work, but not with autoscalers.",
			change: []func(*Facts){func(f *Facts) { f.CustomResources[1].OwnerReferences = nil }},
			check:  "scaling-adapter", state: Warning, message: "Scaling adapters have no status", remedy: "-f apis/dynamographdeploymentscalingadapter/definition.yaml",
		},
		"NoAdapters": {
			reason: "Only some graphs have adapters.",
			change: []func(*Facts){func(f *Facts) { f.CustomResources = f.CustomResources[:1] }},
			check:  "scaling-adapter", state: Warning, message: "Scaling adapters are not served", remedy: "-f apis/dynamographdeploymentscalingadapter/definition.yaml",
		},
		"NoConfiguration": {
			reason: "The API may come from a repository of the platform.",
			change: []func(*Facts){func(f *Facts) { f.Configurations = nil }},
			check:  "configuration", state: Skipped, message: "without a Configuration",
		},
		"FunctionsOnly": {
			reason: "Functions alone are half of an installation.",
			change: []func(*Facts){func(f *Facts) { f.Configurations, f.Definitions = nil, nil }},
			check:  "configuration", state: Problem, message: "There is no Configuration", remedy: "install.yaml",
		},
		"TwoConfigurations": {
			reason: "Two Configurations would both define graphs.",
			change: []func(*Facts){func(f *Facts) {
				f.Configurations = append(f.Configurations, packaged("configuration-dynamo-claims", "", ""))
			}},
			check: "configuration", state: Problem, message: "configuration-dynamo and configuration-dynamo-claims", remedy: "Delete the Configuration",
		},
		"UnhealthyConfiguration": {
			reason: "Crossplane says why a package is not healthy.",
			change: []func(*Facts){func(f *Facts) {
				broken(f.Configurations[0].Status.Conditions, "Healthy", "cannot resolve dependencies")
			}},
			check: "configuration", state: Problem, message: "Configuration configuration-dynamo is not healthy: cannot resolve dependencies.", remedy: "kubectl describe configuration.pkg.crossplane.io configuration-dynamo",
		},
		"NoFunction": {
			reason: "A Composition that calls a function that is not there stops all graphs.",
			change: []func(*Facts){func(f *Facts) { f.Functions = nil }},
			check:  "functions", state: Problem, message: "Function dynamo-crossplane-function-dynamo-graph is not installed. Composition dynamographdeployment calls it.", remedy: "install.yaml",
		},
		"PulledFunction": {
			reason: "A function whose package cannot be pulled is not installed.",
			change: []func(*Facts){func(f *Facts) { broken(f.Functions[0].Status.Conditions, "Installed", "unauthorized") }},
			check:  "functions", state: Problem, message: "is not installed: unauthorized.", remedy: "kubectl describe function.pkg.crossplane.io",
		},
		"DefaultRuntime": {
			reason: "Without the runtime configuration there is one pod without limits.",
			change: []func(*Facts){func(f *Facts) { f.Functions[0].Spec.RuntimeConfigRef.Name = "default" }},
			check:  "runtime-configuration", state: Warning, message: "one pod without limits for dynamo-crossplane-function-dynamo-graph", remedy: "package/runtime.yaml",
		},
		"NoRuntime": {
			reason: "Crossplane runs no function whose runtime configuration does not exist.",
			change: []func(*Facts){func(f *Facts) { f.RuntimeConfigs = nil }},
			check:  "runtime-configuration", state: Problem, message: "which does not exist", remedy: "kubectl apply -f package/runtime.yaml",
		},
		"Policy": {
			reason: "A policy that is not valid refuses all new graphs.",
			change: []func(*Facts){func(f *Facts) { f.Compositions[0].Errors = []string{"input.kai.queu: unknown field"} }},
			check:  "policy", state: Problem, message: "is not valid, so new graphs are refused: input.kai.queu: unknown field.", remedy: "docs/policy.md",
		},
		"CrossplanePermissions": {
			reason: "What Crossplane may not do is named, with its verbs together.",
			change: []func(*Facts){func(f *Facts) {
				f.Refused[CrossplaneAccess] = []preview.Access{
					{Verb: "create", Group: "grove.io", Resource: "podcliquesets"},
					{Verb: "delete", Group: "grove.io", Resource: "podcliquesets"},
					{Verb: "list", Resource: "pods"},
					{Verb: "patch", Group: "a", Resource: "b", Subresource: "scale"},
					{Verb: "get", Group: "c", Resource: "d"},
				}
			}},
			check: "crossplane-permissions", state: Problem, message: "Crossplane may not create, delete podcliquesets.grove.io; list pods; patch b/scale.a; and the same for 1 other kind.", remedy: "kubectl apply -f package/rbac.yaml",
		},
		"NoCrossplaneAccount": {
			reason: "Without its Deployment, the ServiceAccount of Crossplane is not known.",
			change: []func(*Facts){func(f *Facts) { f.Deployments = f.Deployments[2:] }},
			check:  "crossplane-permissions", state: Skipped, message: "its ServiceAccount is not known",
		},
		"YourPermissions": {
			reason: "People may lack permissions that other commands need.",
			change: []func(*Facts){func(f *Facts) {
				f.Refused[OwnAccess] = []preview.Access{{Verb: "get", Group: "grove.io", Resource: "podcliques"}}
			}},
			check: "your-permissions", state: Warning, message: "In namespace inference you may not get podcliques.grove.io.", remedy: "ClusterRoles view and dgd-viewer",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			facts := tc.facts
			if facts == nil {
				facts = healthy()
			}
			for _, change := range tc.change {
				change(facts)
			}
			r := Examine(facts)
			i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Check == tc.check })
			if i < 0 {
				t.Fatalf("there is no check %s", tc.check)
			}
			for _, f := range r.Findings {
				if strings.Contains(strings.ReplaceAll(f.Remedy, compatibility.Page(""), ""), "docs/") {
					t.Errorf("want links to pages in remedies, because a user of the program has no clone, got %s", f.Remedy)
				}
			}
			got := r.Findings[i]
			if got.State != tc.state || !strings.Contains(got.Message, tc.message) || !strings.Contains(got.Remedy, tc.remedy) || (tc.remedy == "") != (got.Remedy == "") {
				t.Errorf("%s\nwant %s, %q and %q, got %+v", tc.reason, tc.state, tc.message, tc.remedy, got)
			}
			unseen(t, facts)
		})
	}
}

// unseen forbids each source of the facts in turn: no check says otherwise than before, unless it says that it may not read the source.
func unseen(t *testing.T, seen *Facts) {
	t.Helper()
	before := Examine(seen).Findings
	for source, forget := range map[Source]func(*Facts){
		// Deployments tell which ConfigMap to read, and whose access to ask for.
		Deployments: func(f *Facts) {
			f.Deployments, f.GroveTopology = nil, nil
			delete(f.Refused, CrossplaneAccess)
			delete(f.Refused, GrouperAccess)
		},
		Webhooks:        func(f *Facts) { f.Webhooks = nil },
		CustomResources: func(f *Facts) { f.CustomResources = nil },
		Definitions:     func(f *Facts) { f.Definitions = nil },
		Compositions:    func(f *Facts) { f.Compositions = nil },
		Configurations:  func(f *Facts) { f.Configurations = nil },
		Functions:       func(f *Facts) { f.Functions = nil },
		RuntimeConfigs:  func(f *Facts) { f.RuntimeConfigs = nil },
		Policy: func(f *Facts) {
			f.Compositions = slices.Clone(f.Compositions)
			for i := range f.Compositions {
				f.Compositions[i].Policy, f.Compositions[i].Errors = &v1alpha1.Input{}, nil
			}
		},
		Queues:           func(f *Facts) { f.Queues = nil },
		ConfigMaps:       func(f *Facts) { f.GroveTopology = nil },
		CrossplaneAccess: func(f *Facts) { delete(f.Refused, CrossplaneAccess) },
		GrouperAccess:    func(f *Facts) { delete(f.Refused, GrouperAccess) },
		OwnAccess:        func(f *Facts) { delete(f.Refused, OwnAccess) },
	} {
		facts := *seen
		facts.Refused = maps.Clone(seen.Refused)
		facts.Forbidden = maps.Clone(seen.Forbidden)
		if facts.Forbidden == nil {
			facts.Forbidden = map[Source]preview.ForbiddenError{}
		}
		facts.Forbidden[source] = preview.ForbiddenError{Verb: "list", Resource: string(source)}
		forget(&facts)
		for i, got := range Examine(&facts).Findings {
			if diff := cmp.Diff(before[i], got); diff != "" && got.Forbidden == nil {
				t.Errorf("The user may not read %s, and check %s says otherwise than before: -want, +got:\n%s", source, got.Check, diff)
			}
		}
	}
}

// TestBefore checks that what install.yaml brings is not missed before the installation, and what else graphs need is.
func TestBefore(t *testing.T) {
	r := Examine(empty())
	if r.Installed {
		t.Error("want graphs not to be installed")
	}
	var problems, brought []string
	for _, f := range r.Findings {
		if f.State == Problem {
			problems = append(problems, f.Check)
		}
		if f.State == Skipped && strings.Contains(f.Message, "install.yaml") {
			brought = append(brought, f.Check)
		}
	}
	if diff := cmp.Diff([]string{"worker-metadata"}, problems); diff != "" {
		t.Errorf("problems: -want, +got:\n%s", diff)
	}
	want := []string{"graph-definition", "scaling-adapter", "configuration", "functions", "runtime-configuration", "function-replicas", "policy", "crossplane-permissions"}
	if diff := cmp.Diff(want, brought); diff != "" {
		t.Errorf("checks of what install.yaml brings: -want, +got:\n%s", diff)
	}
}
