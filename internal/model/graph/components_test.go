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
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

// ofSpec is a v1beta1 graph with a spec.
func ofSpec(spec string) string {
	return `{"apiVersion":"nvidia.com/v1beta1","kind":"DynamoGraphDeployment","metadata":{"name":"llama","namespace":"inference"},"spec":` + spec + `}`
}

// servicesOf a graph are what its components are in the form with services.
func servicesOf(g *Graph) map[string]v1alpha1.Service {
	services := map[string]v1alpha1.Service{}
	for name, c := range g.Components {
		services[name] = c.Service
	}
	return services
}

// besideServices is what the components of a graph have beside their services.
func besideServices(g *Graph) map[string]Component {
	components := map[string]Component{}
	for name, c := range g.Components {
		beside := *c
		beside.Service, beside.Name, beside.graph = v1alpha1.Service{}, "", nil
		components[name] = beside
	}
	return components
}

func TestDecodeComponents(t *testing.T) {
	type want struct {
		spec       v1alpha1.DynamoGraphDeploymentSpec
		components map[string]Component
	}
	service := func(s v1alpha1.Service) v1alpha1.DynamoGraphDeploymentSpec {
		return v1alpha1.DynamoGraphDeploymentSpec{Services: map[string]v1alpha1.Service{"Worker": s}}
	}
	noMain, mainFirst := map[string]Component{"Worker": {main: -1, cacheMount: -1}}, map[string]Component{"Worker": {cacheMount: -1}}

	cases := map[string]struct {
		reason string
		spec   string
		want   want
	}{
		"Graph": {
			reason: "The fields of the graph have the names that v1alpha1 gives them.",
			spec: `{"annotations":{"a":"b"},"labels":{"c":"d"},"env":[{"name":"E","value":"f"}],"backendFramework":"vllm","priorityClassName":"high",
				"restart":{"id":"1"},"topologyConstraint":{"clusterTopologyName":"racks","packDomain":"rack"},"components":[{"name":"Worker"}]}`,
			want: want{
				spec: v1alpha1.DynamoGraphDeploymentSpec{
					Annotations: map[string]string{"a": "b"}, Labels: map[string]string{"c": "d"},
					Envs: []corev1.EnvVar{{Name: "E", Value: "f"}}, BackendFramework: "vllm", PriorityClassName: "high",
					Restart:            &v1alpha1.Restart{ID: "1"},
					TopologyConstraint: &v1alpha1.SpecTopologyConstraint{TopologyProfile: "racks", PackDomain: "rack"},
					Services:           map[string]v1alpha1.Service{"Worker": {}},
				},
				components: noMain,
			},
		},
		"Numbers": {
			reason: "What both versions have is taken as it is.",
			spec: `{"components":[{"name":"Worker","type":"worker","replicas":2,"minAvailable":1,"multinode":{"nodeCount":4},"modelRef":{"name":"m"},
				"globalDynamoNamespace":true,"runtimeVersionOverride":"1.5.0","topologyConstraint":{"packDomain":"rack"}}]}`,
			want: want{
				spec: service(v1alpha1.Service{
					ComponentType: "worker", Replicas: ptr.To[int32](2), MinAvailable: ptr.To[int32](1), Multinode: &v1alpha1.Multinode{NodeCount: 4},
					ModelRef: &v1alpha1.ModelReference{Name: "m"}, GlobalDynamoNamespace: true, RuntimeVersionOverride: "1.5.0",
					TopologyConstraint: &v1alpha1.TopologyConstraint{PackDomain: "rack"},
				}),
				components: noMain,
			},
		},
		"WorkerOfOnePhase": {
			reason: "Types prefill and decode are more specific types of workers.",
			spec:   `{"components":[{"name":"Worker","type":"prefill"}]}`,
			want:   want{spec: service(v1alpha1.Service{ComponentType: "worker", SubComponentType: "prefill"}), components: noMain},
		},
		"PresenceMeansOn": {
			reason: "Empty objects turn features on.",
			spec:   `{"components":[{"name":"Worker","scalingAdapter":{},"experimental":{"gpuMemoryService":{},"failover":{"mode":"InterPod"},"grove":{"forceScalingGroup":true}}}]}`,
			want: want{
				spec: service(v1alpha1.Service{
					ScalingAdapter: &v1alpha1.ScalingAdapter{Enabled: true}, GPUMemoryService: &v1alpha1.GPUMemoryService{Enabled: true},
					Failover: &v1alpha1.Failover{Enabled: true, Mode: "interPod"},
				}),
				components: map[string]Component{"Worker": {ForceScalingGroup: true, main: -1, cacheMount: -1}},
			},
		},
		"SharedMemory": {
			reason: "A size is a size.",
			spec:   `{"components":[{"name":"Worker","sharedMemorySize":"16Gi"}]}`,
			want:   want{spec: service(v1alpha1.Service{SharedMemory: &v1alpha1.SharedMemory{Size: resource.MustParse("16Gi")}}), components: noMain},
		},
		"NoSharedMemory": {
			reason: "A size of 0 disables the volume.",
			spec:   `{"components":[{"name":"Worker","sharedMemorySize":"0"}]}`,
			want:   want{spec: service(v1alpha1.Service{SharedMemory: &v1alpha1.SharedMemory{Disabled: true, Size: resource.MustParse("0")}}), components: noMain},
		},
		"CompilationCache": {
			reason: "The cache is a mount of a claim.",
			spec:   `{"components":[{"name":"Worker","compilationCache":{"pvcName":"cache","mountPath":"/cache"}}]}`,
			want: want{
				spec:       service(v1alpha1.Service{VolumeMounts: []v1alpha1.VolumeMount{{Name: "cache", MountPoint: "/cache", UseAsCompilationCache: true}}}),
				components: noMain,
			},
		},
		"PodTemplate": {
			reason: "Container main is taken out of the containers, and the others keep their order.",
			spec: `{"components":[{"name":"Worker","frontendSidecar":"front","podTemplate":{"metadata":{"labels":{"a":"b"},"annotations":{"c":"d"}},
				"spec":{"nodeSelector":{"e":"f"},"containers":[{"name":"one","image":"1"},{"name":"main","args":["x"]},{"name":"front","image":"2"}]}}}]}`,
			want: want{
				spec: service(v1alpha1.Service{
					ExtraPodMetadata: &v1alpha1.ExtraPodMetadata{Labels: map[string]string{"a": "b"}, Annotations: map[string]string{"c": "d"}},
					ExtraPodSpec: &v1alpha1.ExtraPodSpec{
						PodSpec: corev1.PodSpec{
							NodeSelector: map[string]string{"e": "f"},
							Containers:   []corev1.Container{{Name: "one", Image: "1"}, {Name: "front", Image: "2"}},
						},
						MainContainer: &corev1.Container{Name: "main", Args: []string{"x"}},
					},
				}),
				components: map[string]Component{"Worker": {SidecarName: "front", main: 1, cacheMount: -1}},
			},
		},
		"SettingsOfThePod": {
			reason: "Annotations that this project reads are those of the service, where v1alpha1 has them.",
			spec: `{"components":[{"name":"Worker","podTemplate":{"metadata":{"annotations":{"nvidia.com/vllm-distributed-executor-backend":"ray"}},
				"spec":{"containers":[{"name":"main"}]}}}]}`,
			want: want{
				spec: service(v1alpha1.Service{
					Annotations:      map[string]string{"nvidia.com/vllm-distributed-executor-backend": "ray"},
					ExtraPodMetadata: &v1alpha1.ExtraPodMetadata{},
					ExtraPodSpec:     &v1alpha1.ExtraPodSpec{MainContainer: &corev1.Container{Name: "main"}},
				}),
				components: mainFirst,
			},
		},
		"ClaimByName": {
			reason: "A mount of the main container without a volume mounts the claim of that name, once.",
			spec: `{"components":[{"name":"Worker","podTemplate":{"spec":{"volumes":[{"name":"own","emptyDir":{}}],"containers":[{"name":"main","volumeMounts":[
				{"name":"models","mountPath":"/a"},{"name":"own","mountPath":"/b"},{"name":"models","mountPath":"/c"}]}]}}}]}`,
			want: want{
				spec: service(v1alpha1.Service{ExtraPodSpec: &v1alpha1.ExtraPodSpec{
					PodSpec: corev1.PodSpec{Volumes: []corev1.Volume{
						{Name: "own", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
						{Name: "models", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "models"}}},
					}},
					MainContainer: &corev1.Container{Name: "main", VolumeMounts: []corev1.VolumeMount{
						{Name: "models", MountPath: "/a"}, {Name: "own", MountPath: "/b"}, {Name: "models", MountPath: "/c"},
					}},
				}}),
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
			got := want{spec: g.Spec, components: besideServices(g)}
			got.spec.Services = servicesOf(g)
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
			_, errs := Decode(request(ofSpec(tc.spec)))
			if diff := cmp.Diff(tc.want, messagesOf(errs)); diff != "" {
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
	if got := len(g.Components["Worker"].ExtraPodSpec.Volumes); got != mounts || len(errs) > 0 {
		t.Errorf("want %d volumes, got %d, errors %v", mounts, got, errs)
	}
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(256<<20); got > most {
		t.Errorf("want at most %d bytes to be allocated, got %d", most, got)
	}
}
