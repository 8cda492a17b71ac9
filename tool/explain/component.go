package explain

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	snapshotv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/snapshot/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod/override"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// component of the graph.
func (d *describer) component(name string, all *pods) Component {
	component, decision := d.graph.Component(name), d.plan.Components[name]
	own := all.component(map[string]string{metadata.LabelComponent: name})
	c := Component{
		Name: name, Field: d.field(name, ""), Type: string(component.Type), Engine: string(decision.Framework),
		Executor: decision.Executor, ExecutorReason: decision.ExecutorReason(),
		Dynamo:   decision.RuntimeVersion.String(),
		Replicas: component.Replicas(), Nodes: component.Nodes(), GPUs: pod.TakenGPUs(component) + decision.ClaimedGPUs,
		Workload: own.workload, Place: d.placeOf(name, own.place), NVLink: d.nvlink(name), Scaling: d.scaling(name, own.workload),
	}
	c.TotalPods = c.Replicas * own.perReplica()
	c.TotalGPUs = int64(c.Replicas) * int64(c.Nodes) * c.GPUs
	if len(own.roles) > 1 {
		c.Roles = own.roles
	}
	if c.TotalPods > 0 {
		c.Downloaded = d.downloaded(name, own.templates)
	}
	if checkpoint := decision.Checkpoint; checkpoint != nil {
		c.Checkpoint, c.Restores = checkpoint.Name, checkpoint.Restores
		if checkpoint.Creates {
			c.Checkpoint, c.Restores = cmp.Or(checkpoint.Name, "of its pods, which a SnapshotJob stores"), restoresAny(own.templates)
		}
	}
	c.commands, c.model = commandsOf(own), d.modelOf(own.templates)
	d.inPods(&c, own.templates)
	grouped := slices.ContainsFunc(own.templates, func(t corev1.PodTemplateSpec) bool { return t.Spec.SchedulingGroup != nil })
	if d.plan.LWS.Gang.Provider == graphplan.GangKubernetes && grouped {
		c.Scheduler = graphplan.KubernetesScheduler
	}
	if queue := decision.Queue; queue != nil {
		c.Scheduler, c.Queue = cmp.Or(c.Scheduler, graphplan.KubernetesScheduler), queue.Name
		c.QueueFrom = cmp.Or(d.graph.Field(queue.Path), queue.Setting)
	}
	return c
}

// inPods of a component: its labels, processes, volumes and image.
func (d *describer) inPods(c *Component, templates []corev1.PodTemplateSpec) {
	component, framework := d.graph.Component(c.Name), d.plan.Components[c.Name].Framework
	for i := range templates {
		template := &templates[i]
		c.labels = append(c.labels, template.Labels)
		for _, process := range pod.ProcessesOf(component, framework, template) {
			if !process.Sidecar && len(c.Roles) == len(templates) {
				c.Roles[i].Registers = component.IsWorker() && process.Registers
			}
			for _, port := range process.Ports {
				c.Ports = append(c.Ports, Port{Number: port.Number, For: string(port.Purpose)})
			}
		}
		c.Scheduler = cmp.Or(c.Scheduler, template.Spec.SchedulerName)
		c.Volumes = append(c.Volumes, d.claims(&template.Spec)...)
		for j := range template.Spec.Containers {
			c.Image = cmp.Or(c.Image, template.Spec.Containers[j].Image)
		}
	}
	slices.SortFunc(c.Ports, func(a, b Port) int { return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.For, b.For)) })
	c.Ports = slices.DeleteFunc(slices.Compact(c.Ports), func(p Port) bool { return p.Number == 0 })
	slices.SortStableFunc(c.Volumes, func(a, b Claim) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Path, b.Path)) })
	c.Volumes = slices.Compact(c.Volumes)
}

// restoresAny reports whether pods of templates are restored from a PodSnapshot that they name.
func restoresAny(templates []corev1.PodTemplateSpec) bool {
	return slices.ContainsFunc(templates, func(t corev1.PodTemplateSpec) bool {
		return t.Annotations[snapshotv1alpha1.AnnotationRestoreFrom] != ""
	})
}

// claims that the containers of a pod mount.
func (d *describer) claims(spec *corev1.PodSpec) []Claim {
	var all []Claim
	for _, volume := range spec.Volumes {
		if volume.PersistentVolumeClaim == nil {
			continue
		}
		claim := Claim{Name: volume.PersistentVolumeClaim.ClaimName}
		claim.Composed = slices.Contains(d.plan.ComposedPVCs, claim.Name)
		for i := range spec.Containers {
			for _, mount := range spec.Containers[i].VolumeMounts {
				if mount.Name == volume.Name {
					claim.Path = cmp.Or(claim.Path, mount.MountPath)
				}
			}
		}
		all = append(all, claim)
	}
	return all
}

// nvlink is the NVLink domain of the pods of a component.
func (d *describer) nvlink(name string) string {
	mnnvl := d.plan.MNNVL
	_, isMember := mnnvl.Members[name]
	component := d.graph.Component(name)
	switch {
	case mnnvl.Mode == graphplan.MNNVLGrove && component.GPUs() > 0:
		return "created by Grove"
	case !isMember:
		return ""
	case mnnvl.Scope == graphplan.ScopeReplica && component.IsMultinode():
		return "one for each replica"
	default:
		return d.graph.Names().ComputeDomain()
	}
}

// placeOf the pods of a component. On LeaderWorkerSets it is in the plan.
func (d *describer) placeOf(name string, place *Place) *Place {
	if d.plan.Orchestrator == graphplan.LeaderWorkerSet && d.plan.Topology != nil {
		placement, ok := d.plan.Topology.Placements[name]
		if !ok {
			return nil
		}
		place = &Place{Topology: d.plan.Topology.Name, Required: placement.Domain, Preferred: placement.PreferredDomain, Each: eachReplica}
	}
	return d.explained(place, name)
}

// explained place with the field that asks for it. Without a component, it is that of the graph as a whole.
func (d *describer) explained(place *Place, name string) *Place {
	if place == nil {
		return nil
	}
	own := *place
	component, prefix := d.graph.Component(name), "spec"
	overridden, constraint := d.overrides(""), d.graph.Spec.TopologyConstraint != nil
	if ofComponent := name != "" && d.overrides(name); ofComponent || component.TopologyConstraint != nil {
		prefix, overridden, constraint = d.field(name, ""), ofComponent, true
	}
	switch {
	case overridden:
		own.Field = prefix + ".providerOverride"
	case own.Required == "" || !constraint:
		own.Field = "annotation " + metadata.AnnotationPreferredDomain
	default:
		own.Field = prefix + ".topologyConstraint"
	}
	if d.plan.Topology != nil {
		own.Topology = cmp.Or(own.Topology, d.plan.Topology.Name)
	}
	return &own
}

// overrides reports whether the constraint of a component, or without a name of the graph, is written in Grove's own form.
func (d *describer) overrides(name string) bool {
	return slices.ContainsFunc(override.Constraints(d.graph), func(o override.Override) bool { return o.Component == name && !o.OfRole })
}

// scaling of a component: who decides the number of its replicas.
func (d *describer) scaling(name string, workload Workload) Scaling {
	component := d.graph.Component(name)
	s := Scaling{By: byGraph, Field: d.field(name, ".replicas")}
	if _, ok := d.graph.Scaled[name]; ok {
		written, _ := d.graph.WrittenReplicas(name)
		s.Written = &written
	}
	switch autoscaler := d.object(names.KeyAutoscaler(name)); {
	case autoscaler != nil:
		s.By, s.Field, s.Object = byAutoscaler, d.field(name, ".autoscaling"), autoscaler.GetKind()+" "+autoscaler.GetName()
		s.Least, _ = preview.Integer(autoscaler.Object, "spec", "minReplicas")
		s.Most, _ = preview.Integer(autoscaler.Object, "spec", "maxReplicas")
		return s
	case d.plan.Components[name].ScalingAdapter:
		adapter, _ := component.Adapter()
		s.By, s.Field, s.Object = byAdapter, d.graph.Field(adapter.Field.String()), scaling.KindAdapter+" "+adapter.Name
	case d.plan.Orchestrator == graphplan.Grove && len(workload.Names) > 0:
		s.Keeps = workload.Kind + " " + workload.Names[0]
	case workload.Kind == "Deployment":
		s.Reverts = workload.Kind + " " + workload.Names[0]
	}
	if component.IsWorker() {
		s.Planner = d.planner()
	}
	return s
}

// together are the components that one adapter scales. It is nil if there are none.
func (d *describer) together(components []Component) *Together {
	object := d.object(names.KeyScaleTogether)
	if object == nil {
		return nil
	}
	adapters := d.graph.Adapters()
	a := adapters[len(adapters)-1]
	t := &Together{Object: object.GetKind() + " " + object.GetName(), Unit: a.String(), Units: a.Units((*graph.Component).Replicas)}
	for _, share := range a.Unit {
		i := slices.IndexFunc(components, func(c Component) bool { return c.Name == share.Component })
		if c := &components[i]; c.Replicas > 0 {
			t.Pods += share.Replicas * c.TotalPods / c.Replicas
			t.GPUs += int64(share.Replicas) * c.TotalGPUs / int64(c.Replicas)
		}
	}
	return t
}

// planner of the graph, which changes the number of workers. Empty if there is none.
func (d *describer) planner() string {
	for _, name := range d.graph.ComponentNames() {
		if d.graph.Component(name).Type == v1beta1.ComponentPlanner {
			return name
		}
	}
	return ""
}
