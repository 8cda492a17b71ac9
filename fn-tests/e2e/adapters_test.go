package e2e

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/definitions"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

const (
	adapterKind = "DynamoGraphDeploymentScalingAdapter"
	// adapterName is the name of their CustomResourceDefinition and their CompositeResourceDefinition.
	adapterName       = "dynamographdeploymentscalingadapters.nvidia.com"
	adapterDefinition = "apis/dynamographdeploymentscalingadapter/definition.yaml"
	bareAdapters      = "package/scalingadapter-crd.yaml"
	metricsVersion    = "metrics.k8s.io/v1beta1"
	externalVersion   = "external.metrics.k8s.io/v1beta1"
	// queueMetric is KEDA's name for a metric that its first trigger reads.
	queueMetric = "s0-metric-api-queued"
	// frontend is edited, too.
	frontend = "Frontend"
)

// TestScaling has every client scale a component of a graph on each orchestrator by its adapter, while the graph is edited: no number that a client has
// set is lost, and no pod goes that is not scaled in.
func TestScaling(tt *testing.T) {
	tt.Parallel()
	t := repeating(tt)
	// Many edits with Crossplane's defaults would open its circuit breaker.
	s := with(t, namespacedConfiguration, newGrove, controlplane.Options{
		CRDs: definitions.Platform(newGrove), CrossplaneFlags: crossplane.Flags(),
	})
	s.fixtures(t)
	s.startWorkloads(t, gpusPerNode)
	s.operators.useNodes()
	s.operators.Work(true)
	s.serveMetrics(t)
	if _, err := s.StartKEDA(s.ctx); err != nil {
		t.Fatal(err)
	}
	t.Run("AtRest", s.adapterAtRest)
	t.Run("Moved", s.adaptersMove)
	t.Run("Clients", func(t *T) {
		clients := map[string]func(*T){}
		for name, of := range map[string]struct {
			example, component string
			change             []func(*unstructured.Unstructured)
		}{
			"Grove":            {example: "disagg-vllm", component: "Decode"},
			"GroveNodes":       {example: "sglang-multinode", component: "Decode"},
			"LeaderWorkerSets": {example: "sglang-multinode", component: "Decode", change: []func(*unstructured.Unstructured){onLeaderWorkerSets}},
			"Deployments":      {example: "disagg-vllm", component: "Decode", change: []func(*unstructured.Unstructured){onLeaderWorkerSets}},
		} {
			clients[name] = func(t *T) {
				g := exampleOfComponents(t, of.example)
				for _, change := range of.change {
					change(g)
				}
				s.clientsScale(t, newAdapted(s, g, "scaled-"+strings.ToLower(name), of.component))
			}
		}
		runTogether(t, clients)
	})
}

// adapterIsScaled on a control plane of any flavour and pipeline.
func (s *suite) adapterIsScaled(t *T) {
	a := newAdapted(s, exampleOfComponents(t, "disagg-vllm"), "adapted", "Decode")
	onLeaderWorkerSets(a.graph)
	s.apply(t, a.graph)
	a.becomes(t, "created", 2)
	if err := s.Client.Scale(s.ctx, a.adapter, 3); err != nil {
		t.Fatal(err)
	}
	a.becomes(t, "scaled", 3)
	s.remove(t, a.graph)
}

// adapterOfComposites is the CompositeResourceDefinition of scaling adapters.
func adapterOfComposites() controlplane.Ref {
	return controlplane.Ref{APIVersion: "apiextensions.crossplane.io/v2", Kind: "CompositeResourceDefinition", Name: adapterName}
}

// installAdapters installs the kind of scaling adapters, as install.yaml does for those that do not install step by step.
func (s *suite) installAdapters(t testing.TB) {
	t.Helper()
	composition := harness.Read(t, "compositions/dynamographdeploymentscalingadapter.yaml")[0]
	pipeline, _, err := unstructured.NestedSlice(composition.Object, "spec", "pipeline")
	if err != nil {
		t.Fatal(err)
	}
	step, _ := pipeline[0].(map[string]any)
	name, _, _ := unstructured.NestedString(step, "functionRef", "name")
	if _, err := s.Client.Get(s.ctx, controlplane.Ref{APIVersion: "pkg.crossplane.io/v1", Kind: "Function", Name: name}); isNotFound(err) {
		set(step, "dynamo-crossplane-function-dynamo-status", "functionRef", "name")
		set(composition.Object, pipeline, "spec", "pipeline")
	}
	s.apply(t, composition)
	if err := s.ApplyFile(s.ctx, adapterDefinition); err != nil {
		t.Fatal(err)
	}
	definition := adapterOfComposites()
	s.eventually(t, definition.String()+" is established", s.is(definition, "Established", "True"))
	crd := controlplane.Ref{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition", Name: adapterName}
	s.eventually(t, crd.String()+" is established", s.is(crd, "Established", "True"))
}

// serveMetrics of pods, and one that is not of any object, by the API server itself. Those who read them do not know who serves them.
func (s *suite) serveMetrics(t testing.TB) {
	t.Helper()
	define := func(group, plural, kind string) {
		crd := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
			"metadata": map[string]any{"name": plural + "." + group, "annotations": map[string]any{"api-approved.kubernetes.io": "unapproved, for tests"}},
			"spec": map[string]any{
				"group": group, "scope": "Namespaced",
				"names": map[string]any{"plural": plural, "singular": strings.ToLower(kind), "kind": kind, "listKind": kind + "List"},
				"versions": []any{map[string]any{"name": "v1beta1", "served": true, "storage": true, "schema": map[string]any{
					"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
				}}},
			},
		}}
		s.apply(t, crd)
		s.eventually(t, kind+" is served", s.is(controlplane.RefOf(crd), "Established", "True"))
	}
	define("metrics.k8s.io", "pods", "PodMetrics")
	define("external.metrics.k8s.io", queueMetric, "ExternalMetricValue")
}

// An adapted graph has a scaling adapter for one of its components.
type adapted struct {
	*suite

	graph     *unstructured.Unstructured
	component string
	adapter   controlplane.Ref
	// spans is how many pods a replica has.
	spans int64
	// pods of the component when it was last at rest.
	pods map[string]bool
	// queued requests.
	queued atomic.Int64
}

func newAdapted(s *suite, g *unstructured.Unstructured, name, component string) *adapted {
	g.SetName(name)
	a := &adapted{suite: s, graph: g, component: component, adapter: adapter(controlplane.RefOf(g), strings.ToLower(component)), spans: 1}
	a.adapter.APIVersion = nvidiaV1beta1
	changeComponent(g, component, func(c map[string]any) {
		set(c, map[string]any{}, "scalingAdapter")
		set(c, int64(2), "replicas")
		if nodes, found, _ := unstructured.NestedInt64(c, "multinode", "nodeCount"); found {
			a.spans = nodes
		}
	})
	return a
}

func (a *adapted) ref() controlplane.Ref { return controlplane.RefOf(a.graph) }

// isScaled reports whether the component has so many replicas, and whether the status of the adapter says so: its selector selects one pod of each.
// Pods from before are only gone if there are fewer.
func (a *adapted) isScaled(replicas int64) func() error {
	return func() error {
		live, err := a.Client.Get(a.ctx, a.adapter)
		if err != nil {
			return err
		}
		pods, err := a.Client.List(a.ctx, "v1", "Pod", a.adapter.Namespace, graphLabel+"="+a.graph.GetName()+","+componentLabel+"="+a.component)
		if err != nil {
			return err
		}
		if got, want := int64(len(pods)), replicas*a.spans; got != want {
			return fmt.Errorf("%d pods, want %d", got, want)
		}
		ready, found, _ := unstructured.NestedInt64(live.Object, "status", "replicas")
		if !found || ready != replicas {
			return fmt.Errorf("status.replicas is %d, want %d", ready, replicas)
		}
		selector, _, _ := unstructured.NestedString(live.Object, "status", "selector")
		selected, err := a.Client.List(a.ctx, "v1", "Pod", a.adapter.Namespace, selector)
		if err != nil {
			return err
		}
		if selector == "" || int64(len(selected)) != replicas {
			return fmt.Errorf("%q selects %d pods, want %d", selector, len(selected), replicas)
		}
		return errors.Join(a.is(a.adapter, "Synced", "True", "Ready", "True")(), a.is(a.ref(), "Synced", "True")())
	}
}

// becomes waits until the component has so many replicas. None of the pods that it had may be gone, unless there are fewer, and then there are no new ones.
func (a *adapted) becomes(t testing.TB, what string, replicas int64) {
	t.Helper()
	begin := time.Now()
	a.eventually(t, fmt.Sprintf("%s: %d replicas", what, replicas), a.isScaled(replicas))
	t.Logf("%s: %d replicas after %s", what, replicas, time.Since(begin).Round(100*time.Millisecond))
	now := map[string]bool{}
	for _, pod := range podsOfComponent(a.podsOf(t, a.ref()), a.component) {
		now[string(pod.GetUID())] = true
	}
	few, many := a.pods, now
	if len(few) > len(many) {
		few, many = many, few
	}
	for uid := range few {
		if !many[uid] {
			t.Errorf("%s: want the pods of %s to stay, got %v, then %v", what, a.component, slices.Collect(maps.Keys(a.pods)), slices.Collect(maps.Keys(now)))
			break
		}
	}
	a.pods = now
}

// editing edits the graph over and over until the returned function is called: the number of the component, which has no effect, and that of the
// Frontend, which has one. Each edit is seen before the next.
func (a *adapted) editing(t testing.TB) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(a.ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := int64(0); ctx.Err() == nil; i++ {
			setReplicas(a.graph, a.component, 1+i%5)
			setReplicas(a.graph, frontend, 1+i%2)
			if _, err := a.Client.Apply(ctx, a.graph); err != nil && ctx.Err() == nil {
				t.Errorf("cannot edit the graph: %v", err)
				return
			}
			_ = a.await("the edit is seen", func() error {
				select {
				case <-ctx.Done():
					return nil
				default:
					return a.isSeen(a.ref())
				}
			}, t.Logf)
			select {
			case <-ctx.Done():
			case <-time.After(2 * time.Second):
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// autoscaler of the adapter, with a metric.
func (a *adapted) autoscaler(metric map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "autoscaling/v2", "kind": hpa, "metadata": map[string]any{"name": a.graph.GetName(), "namespace": a.adapter.Namespace},
		"spec": map[string]any{
			"scaleTargetRef": map[string]any{"apiVersion": nvidiaV1beta1, "kind": adapterKind, "name": a.adapter.Name},
			"minReplicas":    int64(1), "maxReplicas": int64(8), "metrics": []any{metric},
			"behavior": map[string]any{"scaleDown": map[string]any{"stabilizationWindowSeconds": int64(0)}},
		},
	}}
	return object
}

// load has the pods of the component use so much memory together, until the returned function is called.
func (a *adapted) load(t testing.TB, gigabytes int64) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(a.ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			if err := a.measure(ctx, gigabytes); err != nil && ctx.Err() == nil {
				t.Logf("cannot write metrics: %v", err)
			}
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// measure the pods that the adapter selects, and no others.
func (a *adapted) measure(ctx context.Context, gigabytes int64) error {
	live, err := a.Client.Get(ctx, a.adapter)
	if err != nil {
		return err
	}
	selector, _, _ := unstructured.NestedString(live.Object, "status", "selector")
	pods, err := a.Client.List(ctx, "v1", "Pod", a.adapter.Namespace, selector)
	if err != nil {
		return err
	}
	old, err := a.Client.List(ctx, metricsVersion, "PodMetrics", a.adapter.Namespace, selector)
	if err != nil {
		return err
	}
	gone := map[string]bool{}
	for _, metrics := range old {
		gone[metrics.GetName()] = true
	}
	// Pods that are measured already get less first. Otherwise, while new pods are measured, all pods together seem to use more than they do.
	slices.SortStableFunc(pods, func(a, b unstructured.Unstructured) int {
		switch {
		case gone[a.GetName()] == gone[b.GetName()]:
			return 0
		case gone[a.GetName()]:
			return -1
		default:
			return 1
		}
	})
	for _, pod := range pods {
		delete(gone, pod.GetName())
		metrics := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": metricsVersion, "kind": "PodMetrics", "timestamp": time.Now().UTC().Format(time.RFC3339), "window": "30s",
			"containers": []any{map[string]any{"name": "main", "usage": map[string]any{"memory": fmt.Sprintf("%dMi", gigabytes<<10/int64(len(pods)))}}},
		}}
		metrics.SetName(pod.GetName())
		metrics.SetNamespace(pod.GetNamespace())
		metrics.SetLabels(pod.GetLabels())
		if _, err := a.Client.Apply(ctx, metrics); err != nil {
			return err
		}
	}
	for name := range gone {
		if err := a.Client.Delete(ctx, controlplane.Ref{APIVersion: metricsVersion, Kind: "PodMetrics", Namespace: a.adapter.Namespace, Name: name}); err != nil && !isNotFound(err) {
			return err
		}
	}
	return nil
}

// queues so many requests.
func (a *adapted) queues(t testing.TB, requests int64) {
	t.Helper()
	a.queued.Store(requests)
	value := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": externalVersion, "kind": "ExternalMetricValue", "metricName": queueMetric, "metricLabels": map[string]any{},
		"timestamp": time.Now().UTC().Format(time.RFC3339), "value": strconv.FormatInt(requests, 10),
	}}
	value.SetName(a.graph.GetName())
	value.SetNamespace(a.adapter.Namespace)
	value.SetLabels(map[string]string{"scaledobject.keda.sh/name": a.graph.GetName()})
	a.apply(t, value)
}

// deletes an object of the test.
func (a *adapted) deletes(t testing.TB, object *unstructured.Unstructured) {
	t.Helper()
	if err := a.Client.Delete(a.ctx, controlplane.RefOf(object)); err != nil {
		t.Fatal(err)
	}
}

// clientsScale leads a graph through the life of its adapter.
func (s *suite) clientsScale(t *T, a *adapted) {
	record := s.record(t, a.adapter.Namespace, apiKind{nvidiaV1beta1, adapterKind})
	s.apply(t, a.graph)
	a.becomes(t, "created", 2)
	others := a.otherPods(t)
	if err := s.Client.Scale(s.ctx, a.adapter, 4); err != nil {
		t.Fatal(err)
	}
	a.becomes(t, "scaled", 4)
	stop := a.editing(t)
	a.kubectlScales(t)
	a.scaledByPodMetrics(t)
	least := a.scaledByKEDA(t)
	a.scaledByPlanner(t)
	stop()

	// Every number that a client has set. An autoscaler may have reached it in steps, but a number that is lost would turn back.
	want := []int64{2, 4, 2, 3, 5, 1, 2, 4, 1, 0, 1, 3, 2}
	s.eventually(t, "everything is recorded", func() error { return record.holds(s, a.adapter.Namespace, apiKind{nvidiaV1beta1, adapterKind}) })
	if diff := cmp.Diff(turns(want), turns(record.replicasOf(a.adapter.Name))); diff != "" {
		t.Errorf("numbers of the adapter: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(others, a.otherPods(t)); diff != "" {
		t.Errorf("want the pods of other components to stay: -before, +after:\n%s", diff)
	}
	t.Logf("the least number of replicas is %d", least)
	s.remove(t, a.graph)
	s.eventually(t, "the adapter is gone", func() error {
		if _, err := s.Client.Get(s.ctx, a.adapter); !isNotFound(err) {
			return errors.Join(err, errors.New("it is there"))
		}
		return nil
	})
}

// turns are the numbers at which a sequence begins, turns and ends.
func turns(numbers []int64) []int64 {
	all := slices.Clone(numbers)
	for i := 1; i+1 < len(all); {
		if (all[i] > all[i-1]) != (all[i+1] > all[i]) {
			i++
			continue
		}
		all = slices.Delete(all, i, i+1)
	}
	return all
}

// otherPods are those of the components that nothing scales, by their UIDs.
func (a *adapted) otherPods(t testing.TB) map[string]string {
	t.Helper()
	others := map[string]string{}
	for _, pod := range a.podsOf(t, a.ref()) {
		if component := pod.GetLabels()[componentLabel]; component != a.component && component != frontend {
			others[string(pod.GetUID())] = component
		}
	}
	return others
}

// adapterAtRest shows that an adapter and its graph do not wake each other: changes of other objects of the graph have Crossplane reconcile no adapter,
// and when the adapter is scaled, it is reconciled at most once for each version of it and of its graph.
func (s *suite) adapterAtRest(t *T) {
	a := newAdapted(s, exampleOfComponents(t, "disagg-vllm"), "resting", "Decode")
	onLeaderWorkerSets(a.graph)
	s.apply(t, a.graph)
	a.becomes(t, "created", 2)
	s.versionsAtRest(t, a.graph)
	s.countsAtRest(t)

	before := s.adapterReconciles(t)
	s.staysAtRest(t, steadyChanges, a.graph)
	if got := s.adapterReconciles(t) - before; got > 0 {
		t.Errorf("want the adapter let be, got %d reconciles", got)
	}

	kinds := []apiKind{{nvidiaV1beta1, adapterKind}, {nvidiaV1beta1, dgd}}
	record := s.record(t, a.adapter.Namespace, kinds...)
	s.eventually(t, "everything is recorded", func() error { return record.holds(s, a.adapter.Namespace, kinds...) })
	begin := record.last()
	if err := s.Client.Scale(s.ctx, a.adapter, 4); err != nil {
		t.Fatal(err)
	}
	a.becomes(t, "scaled at rest", 4)
	s.versionsAtRest(t, a.graph)
	s.countsAtRest(t)
	s.eventually(t, "everything is recorded", func() error { return record.holds(s, a.adapter.Namespace, kinds...) })
	since := func(ref controlplane.Ref) int {
		return len(slices.DeleteFunc(record.of(ref), func(o *unstructured.Unstructured) bool { return writtenAt(o) <= begin }))
	}
	adapters, graphs, reconciles := since(a.adapter), since(a.ref()), s.adapterReconciles(t)-before
	t.Logf("scaling wrote the adapter %d times and the graph %d times, with %d reconciles of the adapter", adapters, graphs, reconciles)
	if most := adapters + graphs; reconciles > most {
		t.Errorf("want at most %d reconciles of the adapter, got %d", most, reconciles)
	}
	s.remove(t, a.graph)
}

func (s *suite) adapterReconciles(t testing.TB) int {
	t.Helper()
	reconciles, err := s.ReconcilesOf(s.ctx, adapterName)
	if err != nil {
		t.Fatal(err)
	}
	return reconciles
}

// kubectlScales with the number that there is, and is told if it is another one.
func (a *adapted) kubectlScales(t testing.TB) {
	t.Helper()
	scale := func(current, replicas int64) error {
		_, err := a.Shell(a.ctx, fmt.Sprintf("kubectl scale dgdsa/%s --namespace=%s --current-replicas=%d --replicas=%d", a.adapter.Name, a.adapter.Namespace, current, replicas))
		return err
	}
	if err := scale(4, 2); err != nil {
		t.Fatal(err)
	}
	a.becomes(t, "kubectl scale", 2)
	if err := scale(4, 6); err == nil || !strings.Contains(err.Error(), "Expected replicas to be 4, was 2") {
		t.Errorf("want kubectl to be told the number of replicas, got: %v", err)
	}
}

// scaledByPodMetrics: a HorizontalPodAutoscaler that looks at a resource of the pods.
func (a *adapted) scaledByPodMetrics(t testing.TB) {
	t.Helper()
	autoscaler := a.autoscaler(map[string]any{"type": "Resource", "resource": map[string]any{
		"name": "memory", "target": map[string]any{"type": "AverageValue", "averageValue": "1Gi"},
	}})
	// Before there is a metric, it would do nothing; with another, too much.
	stop := a.load(t, 3)
	a.eventually(t, "there are metrics", func() error {
		metrics, err := a.Client.List(a.ctx, metricsVersion, "PodMetrics", a.adapter.Namespace, graphLabel+"="+a.graph.GetName())
		if err == nil && len(metrics) != 2 {
			err = fmt.Errorf("%d pods have metrics", len(metrics))
		}
		return err
	})
	a.apply(t, autoscaler)
	a.becomes(t, "HorizontalPodAutoscaler by resource", 3)
	for _, gigabytes := range []int64{5, 1} {
		stop()
		stop = a.load(t, gigabytes)
		a.becomes(t, "HorizontalPodAutoscaler by resource", gigabytes)
	}
	a.eventually(t, "the autoscaler is active", a.is(controlplane.RefOf(autoscaler), "AbleToScale", "True", "ScalingActive", "True"))
	a.deletes(t, autoscaler)
	stop()
}

// scaledByKEDA: a ScaledObject that looks at the requests in a queue. Its HorizontalPodAutoscaler reads an external metric, and KEDA itself scales to
// zero and back. Grove runs one replica nevertheless.
func (a *adapted) scaledByKEDA(t testing.TB) (least int64) {
	t.Helper()
	if set, err := a.Client.List(a.ctx, grove, "PodCliqueSet", a.adapter.Namespace, ""); err != nil {
		t.Fatal(err)
	} else if slices.ContainsFunc(set, func(o unstructured.Unstructured) bool { return o.GetName() == a.graph.GetName() }) {
		least = 1
	}
	scaled := a.scaledObject(t)
	a.queues(t, 20)
	a.apply(t, scaled)
	for _, replicas := range []int64{2, 4, 1, 0, 1} {
		a.queues(t, 10*replicas)
		a.eventually(t, "KEDA has set the number", a.hasReplicas(a.adapter, replicas))
		a.becomes(t, "KEDA", max(least, replicas))
	}
	// Its finalizer has KEDA delete the autoscaler.
	a.deletes(t, scaled)
	a.eventually(t, "the autoscaler is gone", func() error {
		autoscaler := controlplane.Ref{APIVersion: "autoscaling/v2", Kind: hpa, Namespace: a.adapter.Namespace, Name: "keda-hpa-" + a.graph.GetName()}
		if _, err := a.Client.Get(a.ctx, autoscaler); !isNotFound(err) {
			return errors.Join(err, errors.New("it is there"))
		}
		return nil
	})
	return least
}

// scaledObject of KEDA for the adapter. Its trigger asks a server for the number of requests.
func (a *adapted) scaledObject(t testing.TB) *unstructured.Unstructured {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"queued": %d}`, a.queued.Load())
	}))
	t.Cleanup(server.Close)
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "metadata": map[string]any{"name": a.graph.GetName(), "namespace": a.adapter.Namespace},
		"spec": map[string]any{
			"scaleTargetRef":  map[string]any{"apiVersion": nvidiaV1beta1, "kind": adapterKind, "name": a.adapter.Name},
			"minReplicaCount": int64(0), "maxReplicaCount": int64(8), "pollingInterval": int64(1), "cooldownPeriod": int64(1),
			"advanced": map[string]any{"horizontalPodAutoscalerConfig": map[string]any{
				"behavior": map[string]any{"scaleDown": map[string]any{"stabilizationWindowSeconds": int64(0)}},
			}},
			"triggers": []any{map[string]any{"type": "metrics-api", "metadata": map[string]any{
				"url": server.URL, "valueLocation": "queued", "targetValue": "10",
			}}},
		},
	}}
}

// scaledByPlanner as the planner since release 1.5 does: with the version that it has read, which may be outdated, or without.
func (a *adapted) scaledByPlanner(t testing.TB) {
	t.Helper()
	scale := func(version string, replicas int64) error {
		return a.Client.ScaleVersion(a.ctx, a.adapter, version, replicas)
	}
	if err := scale("1", 7); !kerrors.IsConflict(err) {
		t.Errorf("want an outdated version refused, got: %v", err)
	}
	// Crossplane writes the adapter, too.
	a.eventually(t, "the version that was read is the last one", func() error {
		live, err := a.Client.Get(a.ctx, a.adapter)
		if err != nil {
			return err
		}
		return scale(live.GetResourceVersion(), 3)
	})
	a.becomes(t, "planner with a version", 3)
	if err := a.Client.Scale(a.ctx, a.adapter, 2); err != nil {
		t.Fatal(err)
	}
	a.becomes(t, "planner", 2)
}

// adaptersMove from a bare definition like that of the Dynamo operator, whose webhook is gone, to that of composite resources.
func (s *suite) adaptersMove(t *T) {
	crd := controlplane.Ref{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition", Name: adapterName}
	gone := func() error {
		if _, err := s.Client.Get(s.ctx, crd); !isNotFound(err) {
			return errors.Join(err, errors.New("it is there"))
		}
		return nil
	}
	if err := s.Client.Delete(s.ctx, adapterOfComposites()); err != nil {
		t.Fatal(err)
	}
	s.eventually(t, "the definition is gone with that of the composite resources", gone)
	if err := s.ApplyFile(s.ctx, bareAdapters); err != nil {
		t.Fatal(err)
	}
	s.eventually(t, crd.String()+" is established", s.is(crd, "Established", "True"))

	a := newAdapted(s, exampleOfComponents(t, "disagg-vllm"), "moved", "Decode")
	onLeaderWorkerSets(a.graph)
	s.apply(t, a.graph)
	s.eventually(t, "the graph is ready", s.is(a.ref(), "Synced", "True", "Ready", "True"))
	if err := s.Client.Scale(s.ctx, a.adapter, 3); err != nil {
		t.Fatal(err)
	}
	deployment := deploymentOf(a.ref(), "decode")
	s.eventually(t, "the component is scaled", s.hasReplicas(deployment, 3))
	before, err := s.Client.Get(s.ctx, a.adapter)
	if err != nil {
		t.Fatal(err)
	}
	if _, found, _ := unstructured.NestedString(before.Object, "status", "selector"); found {
		t.Error("want no status of a bare adapter")
	}
	// From here on, no adapter can be read at the other version.
	if err := s.Client.Patch(s.ctx, crd, map[string]any{"spec": map[string]any{"conversion": map[string]any{
		"strategy": "Webhook",
		"webhook": map[string]any{
			"conversionReviewVersions": []any{"v1"},
			"clientConfig":             map[string]any{"service": map[string]any{"name": "dynamo-operator-webhook", "namespace": "default", "path": "/convert"}},
		},
	}}}); err != nil {
		t.Fatal(err)
	}

	s.installAdapters(t)
	a.becomes(t, "moved", 3)
	after, err := s.Client.Get(s.ctx, a.adapter)
	if err != nil {
		t.Fatal(err)
	}
	if before.GetUID() != after.GetUID() {
		t.Error("want the adapter to stay")
	}
	if _, err := s.Client.Get(s.ctx, adapter(a.ref(), "decode")); err != nil {
		t.Errorf("want the adapter at each version: %v", err)
	}
	s.uninstallAdapters(t, a, gone)
	s.remove(t, a.graph)
}

// uninstallAdapters under a graph that has one, which goes on scaling its component until its user removes it. No pod goes.
func (s *suite) uninstallAdapters(t *T, a *adapted, gone func() error) {
	t.Helper()
	if err := s.Client.Delete(s.ctx, adapterOfComposites()); err != nil {
		t.Fatal(err)
	}
	s.eventually(t, "the definition waits for the adapter", s.is(adapterOfComposites(), "Established", "False"))
	if err := s.Client.Scale(s.ctx, a.adapter, 4); err != nil {
		t.Fatal(err)
	}
	a.becomes(t, "uninstalling", 4)
	changeComponent(a.graph, a.component, func(component map[string]any) { delete(component, "scalingAdapter") })
	setReplicas(a.graph, a.component, 4)
	s.apply(t, a.graph)
	s.eventually(t, "the definition is gone", gone)
	s.eventually(t, "the graph is ready", s.isAfterEdit(a.ref(), "Synced", "True", "Ready", "True"))
	for _, pod := range podsOfComponent(s.podsOf(t, a.ref()), a.component) {
		delete(a.pods, string(pod.GetUID()))
	}
	if len(a.pods) > 0 {
		t.Errorf("want the pods of %s to stay, got %d other ones", a.component, len(a.pods))
	}
	s.installAdapters(t)
}
