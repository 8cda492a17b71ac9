package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// controllersOfDoctor are what the command doctor reads of controllers, none of which runs here but is reported to, and a definition that comes
// with Dynamo.
const controllersOfDoctor = `
kubectl create namespace kai-scheduler
kubectl apply --server-side --filename=- <<END
apiVersion: apps/v1
kind: Deployment
metadata: {name: crossplane, namespace: crossplane-system}
spec:
  replicas: 1
  selector: {matchLabels: {app: crossplane}}
  template:
    metadata: {labels: {app: crossplane}}
    spec:
      serviceAccountName: crossplane
      containers:
        - {name: crossplane, image: "xpkg.crossplane.io/crossplane/crossplane:v2.4.0", args: [core, start]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: pod-grouper, namespace: kai-scheduler}
spec:
  replicas: 1
  selector: {matchLabels: {app: pod-grouper}}
  template:
    metadata: {labels: {app: pod-grouper}}
    spec:
      serviceAccountName: pod-grouper
      containers:
        - {name: pod-grouper, image: "ghcr.io/kai-scheduler/kai-scheduler/podgrouper:v0.13.4"}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: scheduler, namespace: kai-scheduler}
spec:
  replicas: 1
  selector: {matchLabels: {app: scheduler}}
  template:
    metadata: {labels: {app: scheduler}}
    spec:
      containers:
        - {name: scheduler, image: "ghcr.io/kai-scheduler/kai-scheduler/scheduler:v0.13.4", args: ["--default-staleness-grace-period=-1s"]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: binder, namespace: kai-scheduler}
spec:
  replicas: 1
  selector: {matchLabels: {app: binder}}
  template:
    metadata: {labels: {app: binder}}
    spec:
      containers:
        - {name: binder, image: "ghcr.io/kai-scheduler/kai-scheduler/binder:v0.13.4"}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: dynamoworkermetadatas.nvidia.com}
spec:
  group: nvidia.com
  names: {kind: DynamoWorkerMetadata, listKind: DynamoWorkerMetadataList, plural: dynamoworkermetadatas, singular: dynamoworkermetadata}
  scope: Namespaced
  versions:
    - name: v1alpha1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
END
kubectl wait --for=condition=Established crd/dynamoworkermetadatas.nvidia.com --timeout=1m
for deployment in crossplane-system/crossplane kai-scheduler/pod-grouper kai-scheduler/scheduler kai-scheduler/binder; do
  kubectl patch deployment "${deployment#*/}" --namespace="${deployment%/*}" --subresource=status --type=merge --patch='{"status": {"replicas": 1, "readyReplicas": 1}}'
done
`

// binderStops has no pod of KAI's binder ready.
const binderStops = `kubectl patch deployment binder --namespace=kai-scheduler --subresource=status --type=merge --patch='{"status": {"readyReplicas": 0}}'`

// installedForDoctor installs the packages in a folder by the file that users apply, from a registry.
const installedForDoctor = `
packages=%s registry=%s
hack/push.sh "$packages" "$registry" v0.1.0
kubectl apply --filename=- <<END
apiVersion: pkg.crossplane.io/v1beta1
kind: ImageConfig
metadata: {name: mirror}
spec:
  matchImages: [{type: Prefix, prefix: xpkg.crossplane.io/dynamo-crossplane}]
  rewriteImage: {prefix: $registry}
END
kubectl apply --server-side --filename="$packages/install.yaml"
kubectl wait --for=condition=Healthy configurations.pkg.crossplane.io configuration-dynamo --timeout=5m
kubectl wait --for=condition=Healthy functions.pkg.crossplane.io --all --timeout=5m
kubectl wait --for=condition=Established compositeresourcedefinition/dynamographdeployments.nvidia.com --timeout=5m
`

// grouperReads gives the pod grouper of KAI a role that is larger than that of its chart.
const grouperReads = `kubectl create clusterrolebinding pod-grouper --clusterrole=cluster-admin --serviceaccount=kai-scheduler:pod-grouper`

// doctorReport is what the command doctor prints.
type doctorReport struct {
	Installed bool `json:"installed"`
	Findings  []struct {
		Check   string `json:"check"`
		State   string `json:"state"`
		Message string `json:"message"`
	} `json:"findings"`
}

// TestDoctor checks a cluster before and after the installation with the command doctor.
func TestDoctor(tt *testing.T) {
	tt.Parallel()
	t := repeating(tt)
	s := bare(t, "", newGrove)
	s.tool = newTool(t)
	s.script(t, controllersOfDoctor)

	s.eventually(t, "only the queue is missing before the installation", s.doctor("", false, map[string]string{
		"crossplane": "ok", "grove": "warning", "kai": "warning", "dynamo-operator": "ok", "webhooks": "ok", "worker-metadata": "ok",
		"kai-pod-grouper": "ok", "kai-staleness": "ok", "realtime-compositions": "ok", "circuit-breaker": "warning",
		"graph-definition": "skipped", "functions": "skipped", "crossplane-permissions": "skipped",
	}, "kai-queue"))
	s.script(t, "kubectl apply --server-side --filename=package/queue.yaml")
	s.eventually(t, "nothing is missing before the installation", s.doctor("", false, map[string]string{"kai-queue": "ok"}))

	s.script(t, fmt.Sprintf(installedForDoctor, packages(t), s.Registry()+"/dynamo-crossplane"))
	s.eventually(t, "nothing is wrong after the installation", s.doctor("", true, map[string]string{
		"graph-definition": "ok", "scaling-adapter": "ok", "configuration": "ok", "functions": "ok", "runtime-configuration": "ok", "policy": "ok",
		"crossplane-permissions": "ok", "your-permissions": "ok",
	}))

	s.script(t, grouperReads)
	s.script(t, binderStops)
	s.removeRule(t, "podcliquesets")
	s.eventually(t, "controllers without pods, and permissions that are missing or that others should not have, are problems",
		s.doctor("", true, map[string]string{"functions": "ok"}, "kai", "kai-pod-grouper", "crossplane-permissions"))

	config, err := s.viewer("default")
	if err != nil {
		t.Fatal(err)
	}
	s.eventually(t, "a viewer of a namespace is told what they may not read", s.doctor(config, true, map[string]string{
		"grove": "skipped", "kai-queue": "skipped", "graph-definition": "skipped", "functions": "skipped", "crossplane-permissions": "skipped",
		"your-permissions": "ok",
	}))
}

// script runs a script.
func (s *suite) script(t testing.TB, script string) {
	t.Helper()
	if out, err := s.Shell(s.ctx, script); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// doctor checks what the command doctor finds, as the administrator or with another kubeconfig: whether graphs are installed, the states of some
// checks, and all checks that find a problem, on which the exit status depends.
func (s *suite) doctor(config string, installed bool, states map[string]string, problems ...string) func() error {
	flags, status := "--namespace=default --output=json", 0
	if config != "" {
		flags += " --kubeconfig=" + config
	}
	if len(problems) > 0 {
		status = 1
	}
	return func() error {
		out, err := s.Shell(s.ctx, fmt.Sprintf("code=0; %s doctor %s || code=$?; test $code = %d", s.tool.binary, flags, status))
		if err != nil {
			return err
		}
		report := doctorReport{}
		if err := json.Unmarshal([]byte(out), &report); err != nil {
			return fmt.Errorf("cannot read %q: %w", out, err)
		}
		got := map[string]string{}
		var found []string
		for _, f := range report.Findings {
			if _, wanted := states[f.Check]; wanted {
				got[f.Check] = f.State
			}
			if f.State == "problem" {
				found = append(found, f.Check)
			}
		}
		diff := cmp.Diff(states, got)
		if report.Installed != installed || diff != "" || !slices.Equal(found, problems) {
			return fmt.Errorf("want problems %v and installed %t, states: -want, +got:\n%s\ngot %s", problems, installed, diff, out)
		}
		s.logf("doctor: %s", out)
		return nil
	}
}
