package graph

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
)

// ofSpec is a v1beta1 graph with a spec.
func ofSpec(spec string) string {
	return `{"apiVersion":"nvidia.com/v1beta1","kind":"DynamoGraphDeployment","metadata":{"name":"llama","namespace":"inference"},"spec":` + spec + `}`
}

// specOf a graph with its components, as they are after decoding.
func specOf(g *Graph) v1beta1.DynamoGraphDeploymentSpec {
	spec := g.Spec
	for _, c := range g.ComponentsByName() {
		spec.Components = append(spec.Components, c.Component)
	}
	return spec
}

// besideSpec is what the components of a graph have beside what their user wrote.
func besideSpec(g *Graph) map[string]Component {
	components := map[string]Component{}
	for name, c := range g.Components {
		components[name] = Component{
			ServiceFields: c.ServiceFields, Ignored: c.Ignored, MountedByName: c.MountedByName, main: c.main, cacheMount: c.cacheMount,
		}
	}
	return components
}

// podWith containers.
func podWith(containers ...corev1.Container) *corev1.PodTemplateSpec {
	return &corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: containers}}
}

func TestDecodeComponents(t *testing.T) {
	type want struct {
		spec       v1beta1.DynamoGraphDeploymentSpec
		components map[string]Component
	}
	one := func(c v1beta1.Component) v1beta1.DynamoGraphDeploymentSpec {
		c.Name = "Worker"
		if c.PodTemplate == nil {
			c.PodTemplate = podWith()
		}
		return v1beta1.DynamoGraphDeploymentSpec{Components: []v1beta1.Component{c}}
	}
	noMain := map[string]Component{"Worker": {main: -1, cacheMount: -1}}

	cases := map[string]struct {
		reason string
		spec   string
		want   want
	}{
		"Graph": {
			reason: "The fields of the graph are taken as they are.",
			spec: `{"annotations":{"a":"b"},"labels":{"c":"d"},"env":[{"name":"E","value":"f"}],"backendFramework":"vllm","priorityClassName":"high",
				"restart":{"id":"1"},"topologyConstraint":{"clusterTopologyName":"racks","packDomain":"rack"},"components":[{"name":"Worker"}]}`,
			want: want{
				spec: v1beta1.DynamoGraphDeploymentSpec{
					Annotations: map[string]string{"a": "b"}, Labels: map[string]string{"c": "d"},
					Env: []corev1.EnvVar{{Name: "E", Value: "f"}}, BackendFramework: "vllm", PriorityClassName: "high",
					Restart:            &v1alpha1.Restart{ID: "1"},
					TopologyConstraint: &v1beta1.SpecTopologyConstraint{ClusterTopologyName: "racks", PackDomain: "rack"},
					Components:         []v1beta1.Component{{Name: "Worker", PodTemplate: podWith()}},
				},
				components: noMain,
			},
		},
		"Numbers": {
			reason: "The fields of components are taken as they are.",
			spec: `{"components":[{"name":"Worker","type":"frontend","replicas":2,"minAvailable":1,"multinode":{"nodeCount":4},"modelRef":{"name":"m"},
				"globalDynamoNamespace":true,"runtimeVersionOverride":"1.5.0","topologyConstraint":{"packDomain":"rack"},"sharedMemorySize":"16Gi","scalingAdapter":{},
				"experimental":{"gpuMemoryService":{},"failover":{"mode":"InterPod"},"grove":{"forceScalingGroup":true}}}]}`,
			want: want{
				spec: one(v1beta1.Component{
					Type: "frontend", Replicas: ptr.To[int32](2), MinAvailable: ptr.To[int32](1), Multinode: &v1alpha1.Multinode{NodeCount: 4},
					ModelRef: &v1alpha1.ModelReference{Name: "m"}, GlobalDynamoNamespace: true, RuntimeVersionOverride: "1.5.0",
					TopologyConstraint: &v1alpha1.TopologyConstraint{PackDomain: "rack"}, SharedMemorySize: new(resource.MustParse("16Gi")),
					ScalingAdapter: &v1beta1.ScalingAdapter{},
					Experimental: &v1beta1.ComponentExperimental{
						GPUMemoryService: &v1beta1.GPUMemoryService{}, Failover: &v1beta1.Failover{Mode: "InterPod"}, Grove: &v1beta1.GroveSettings{ForceScalingGroup: true},
					},
				}),
				components: map[string]Component{"Worker": {ServiceFields: ServiceFields{ComponentType: "frontend"}, main: -1, cacheMount: -1}},
			},
		},
		"WorkerOfOnePhase": {
			reason: "The labels of types prefill and decode are those of workers, and the phase.",
			spec:   `{"components":[{"name":"Worker","type":"prefill"}]}`,
			want: want{spec: one(v1beta1.Component{Type: "prefill"}), components: map[string]Component{
				"Worker": {ServiceFields: ServiceFields{ComponentType: "worker", SubComponentType: "prefill"}, main: -1, cacheMount: -1},
			}},
		},
		"CompilationCache": {
			reason: "The cache is a mount of a claim.",
			spec:   `{"components":[{"name":"Worker","compilationCache":{"pvcName":"cache","mountPath":"/cache"}}]}`,
			want: want{
				spec: one(v1beta1.Component{CompilationCache: &v1beta1.CompilationCache{PVCName: "cache", MountPath: "/cache"}}),
				components: map[string]Component{"Worker": {
					ServiceFields: ServiceFields{VolumeMounts: []v1alpha1.VolumeMount{{Name: "cache", MountPoint: "/cache", UseAsCompilationCache: true}}},
					main:          -1, cacheMount: -1,
				}},
			},
		},
		"PodTemplate": {
			reason: "The containers keep their order, and fields of the metadata that servers write are left out.",
			spec: `{"components":[{"name":"Worker","frontendSidecar":"front","podTemplate":{"metadata":{"name":"n","labels":{"a":"b"},"annotations":{"c":"d"}},
				"spec":{"nodeSelector":{"e":"f"},"containers":[{"name":"one","image":"1"},{"name":"main","args":["x"]},{"name":"front","image":"2"}]}}}]}`,
			want: want{
				spec: one(v1beta1.Component{FrontendSidecar: "front", PodTemplate: &corev1.PodTemplateSpec{
					ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"a": "b"}, Annotations: map[string]string{"c": "d"}},
					Spec: corev1.PodSpec{
						NodeSelector: map[string]string{"e": "f"},
						Containers:   []corev1.Container{{Name: "one", Image: "1"}, {Name: "main", Args: []string{"x"}}, {Name: "front", Image: "2"}},
					},
				}}),
				components: map[string]Component{"Worker": {Ignored: []string{"name"}, main: 1, cacheMount: -1}},
			},
		},
		"SettingsOfThePod": {
			reason: "Annotations that this project reads are those of the service, where v1alpha1 has them.",
			spec: `{"components":[{"name":"Worker","podTemplate":{"metadata":{"annotations":{"nvidia.com/vllm-distributed-executor-backend":"ray"}},
				"spec":{"containers":[{"name":"main"}]}}}]}`,
			want: want{
				spec: one(v1beta1.Component{PodTemplate: podWith(corev1.Container{Name: "main"})}),
				components: map[string]Component{"Worker": {
					ServiceFields: ServiceFields{Annotations: map[string]string{"nvidia.com/vllm-distributed-executor-backend": "ray"}}, cacheMount: -1,
				}},
			},
		},
		"ClaimByName": {
			reason: "A mount of the main container without a volume mounts the claim of that name, once.",
			spec: `{"components":[{"name":"Worker","podTemplate":{"spec":{"volumes":[{"name":"own","emptyDir":{}}],"containers":[{"name":"main","volumeMounts":[
				{"name":"models","mountPath":"/a"},{"name":"own","mountPath":"/b"},{"name":"models","mountPath":"/c"}]}]}}}]}`,
			want: want{
				spec: one(v1beta1.Component{PodTemplate: &corev1.PodTemplateSpec{Spec: corev1.PodSpec{
					Volumes: []corev1.Volume{
						{Name: "own", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
						{Name: "models", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "models"}}},
					},
					Containers: []corev1.Container{{Name: "main", VolumeMounts: []corev1.VolumeMount{
						{Name: "models", MountPath: "/a"}, {Name: "own", MountPath: "/b"}, {Name: "models", MountPath: "/c"},
					}}},
				}}}),
				components: map[string]Component{"Worker": {MountedByName: []string{"models"}, cacheMount: -1}},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g, errs := Decode(request(ofSpec(tc.spec)))
			if len(errs) > 0 {
				t.Fatalf("%s\nDecode(...): %v", tc.reason, errs)
			}
			got := want{spec: specOf(g), components: besideSpec(g)}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{}, Component{}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\nDecode(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDecodeComponentsErrors(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   string
		want   []string
	}{
		"Both": {
			reason: "The two forms exclude each other.",
			spec:   `{"services":{"Worker":{}},"components":[{"name":"Worker"}]}`,
			want:   []string{`spec.components: Invalid value: unknown field; a graph has either services (v1alpha1) or components (v1beta1); remove one of the two`},
		},
		"BesideNoService": {
			reason: "Services without any are not what the graph consists of.",
			spec:   `{"services":{},"components":[{"name":"Worker"}]}`,
			want:   []string{`spec.services: Invalid value: unknown field; remove it`},
		},
		"Duplicate": {
			reason: "Two components of one name would have the same objects.",
			spec:   `{"components":[{"name":"Worker"},{"name":"Worker"}]}`,
			want:   []string{`spec.components[1].name: Invalid value: "Worker": is duplicated; rename or remove one of the two`},
		},
		"ByName": {
			reason: "Errors name the component and its main container, as the user does.",
			spec:   `{"components":[{"name":"Frontend"},{"name":"Worker","replica":1,"podTemplate":{"spec":{"containers":[{"name":"side"},{"name":"main","imag":"i"}]}}}]}`,
			want: []string{
				`spec.components[Worker].podTemplate.spec.containers[main].imag: Invalid value: "i": unknown field; did you mean "image"?`,
				`spec.components[Worker].replica: Invalid value: 1: unknown field; did you mean "replicas"?`,
			},
		},
		"FieldsOfServices": {
			reason: "Fields that only services have are not known.",
			spec:   `{"pvcs":[{"name":"models"}],"components":[{"name":"Worker","envs":[]}]}`,
			want: []string{
				"spec.components[Worker].envs: Invalid value: unknown field; set it in container main of podTemplate (env)",
				"spec.pvcs: Invalid value: unknown field; create the claims beside the graph, and mount them by name in container main",
			},
		},
		"NoName": {
			reason: "A component without a name is not lost.",
			spec:   `{"components":[{"type":"worker"}]}`,
			want:   []string{"spec.components[0].name: Required value: must be specified"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g, errs := Decode(request(ofSpec(tc.spec)))
			if diff := cmp.Diff(tc.want, errs.Texts(g)); diff != "" {
				t.Errorf("%s\nDecode(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestManyMounts holds that each mount without a volume adds one, and copies none: a graph may have thousands.
func TestManyMounts(t *testing.T) {
	const mounts = 9000
	var list []string
	for i := range mounts {
		list = append(list, fmt.Sprintf(`{"name":"m%d","mountPath":"/m%d"}`, i, i))
	}
	req := request(ofSpec(`{"components":[{"name":"Worker","podTemplate":{"spec":{"containers":[{"name":"main","volumeMounts":[` + strings.Join(list, ",") + `]}]}}}]}`))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	g, errs := Decode(req)
	runtime.ReadMemStats(&after)
	if got := len(g.Components["Worker"].Pod().Volumes); got != mounts || len(errs) > 0 {
		t.Errorf("want %d volumes, got %d, errors %v", mounts, got, errs)
	}
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(256<<20); got > most {
		t.Errorf("want at most %d bytes to be allocated, got %d", most, got)
	}
}
