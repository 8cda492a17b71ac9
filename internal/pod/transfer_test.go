package pod

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// withPolicy builds the pod of component S of a graph with a policy for the transfer of KV caches, and of a frontend, both JSON.
func withPolicy(t *testing.T, policy, body string, labels ...graphplan.TopologyLabel) corev1.PodTemplateSpec {
	t.Helper()
	spec := fields{"experimental": fields{"kvTransferPolicy": parse(t, policy)}, "services": fields{"S": parse(t, body)}}
	b := planned(graphOf(t, spec, fields{}), graphplan.Component{Discovery: "etcd"})
	b.Plan.TopologyLabels = labels
	return b.Build("S", backend.RoleMain, nil)
}

// labelFile is a file with the value of a label of the pod, as JSON shows it.
func labelFile(name, label string) fields {
	return fields{"path": name, "fieldRef": fields{"fieldPath": "metadata.labels['" + label + "']"}}
}

// topologyFiles is the volume with files, as JSON shows it.
func topologyFiles(files ...any) fields {
	return fields{"name": "topology-labels", "downwardAPI": fields{"items": files}}
}

// TestTransferPolicy shows what pods get of a policy for the transfer of KV caches.
func TestTransferPolicy(t *testing.T) {
	const (
		byLabel = `{"labelKey":"topology.kubernetes.io/zone","domain":"zone"}`
		zone    = "topology.kubernetes.io/zone"
	)
	ofZone := graphplan.TopologyLabel{Domain: "zone", Key: zone}
	topologyMount := with(mount("topology-labels", "/etc/dynamo/topology"), fields{"readOnly": true})
	cases := map[string]struct {
		reason, policy, body string
		labels               []graphplan.TopologyLabel
		want                 fields
	}{
		"Label": {
			reason: "A worker reads the label of its pod in a file with the name of the domain.",
			policy: byLabel, body: `{"componentType":"worker"}`, labels: []graphplan.TopologyLabel{ofZone},
			want: fields{
				"env": fields{
					"DYN_KV_TRANSFER_DOMAIN": "zone", "DYN_KV_TRANSFER_ENFORCEMENT": "required",
					"DYN_TOPOLOGY_ENABLED": "true", "DYN_TOPOLOGY_MOUNT_PATH": "/etc/dynamo/topology",
				},
				"annotations": fields{"nvidia.com/topology-label-key": zone},
				"mounts":      []any{topologyMount, mount("shared-memory", "/dev/shm")},
				"volumes":     []any{topologyFiles(labelFile("zone", zone)), sharedMemory("8Gi")},
			},
		},
		"Topology": {
			reason: "A worker reads all levels of the topology, and has the weight as the Dynamo operator writes it.",
			policy: `{"clusterTopologyName":"my-topology","domain":"rack","enforcement":"preferred","preferredWeight":0.85}`,
			body:   `{"componentType":"prefill"}`, labels: []graphplan.TopologyLabel{ofZone, {Domain: "rack", Key: "example.org/rack"}},
			want: fields{
				"env": fields{
					"DYN_KV_TRANSFER_DOMAIN": "rack", "DYN_KV_TRANSFER_ENFORCEMENT": "preferred", "DYN_KV_TRANSFER_PREFERRED_WEIGHT": "0.85",
					"DYN_TOPOLOGY_ENABLED": "true", "DYN_TOPOLOGY_MOUNT_PATH": "/etc/dynamo/topology",
				},
				"annotations": fields{"nvidia.com/topology-cluster-topology-name": "my-topology"},
				"mounts":      []any{topologyMount, mount("shared-memory", "/dev/shm")},
				"volumes":     []any{topologyFiles(labelFile("zone", zone), labelFile("rack", "example.org/rack")), sharedMemory("8Gi")},
			},
		},
		"Overridden": {
			reason: "The policy takes precedence over variables and annotations of the user, as with the Dynamo operator.",
			policy: byLabel, labels: []graphplan.TopologyLabel{ofZone},
			body: `{"componentType":"decode","envs":[{"name":"DYN_KV_TRANSFER_PREFERRED_WEIGHT","value":"1"},{"name":"DYN_TOPOLOGY_ENABLED","value":"false"}],
				"annotations":{"nvidia.com/topology-label-key":"other"}}`,
			want: fields{
				"env": fields{
					"DYN_KV_TRANSFER_DOMAIN": "zone", "DYN_KV_TRANSFER_ENFORCEMENT": "required",
					"DYN_TOPOLOGY_ENABLED": "true", "DYN_TOPOLOGY_MOUNT_PATH": "/etc/dynamo/topology",
				},
				"annotations": fields{"nvidia.com/topology-label-key": zone},
				"mounts":      []any{topologyMount, mount("shared-memory", "/dev/shm")},
				"volumes":     []any{topologyFiles(labelFile("zone", zone)), sharedMemory("8Gi")},
			},
		},
		"NoWorker": {
			reason: "Only workers transfer KV caches.",
			policy: byLabel, body: `{"componentType":"frontend"}`, labels: []graphplan.TopologyLabel{ofZone},
			want: fields{
				"env": fields{}, "annotations": fields{},
				"mounts": []any{mount("shared-memory", "/dev/shm")}, "volumes": []any{sharedMemory("8Gi")},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			template := withPolicy(t, tc.policy, tc.body, tc.labels...)
			env, annotations := fields{}, fields{}
			for variable, value := range values(main(template).Env) {
				if IsTransferEnv(variable) {
					env[variable] = value
				}
			}
			for key, value := range template.Annotations {
				if key != "nvidia.com/dynamo-discovery-backend" {
					annotations[key] = value
				}
			}
			got := fields{
				"env": env, "annotations": annotations,
				"mounts": tree(t, main(template).VolumeMounts), "volumes": tree(t, template.Spec.Volumes),
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nBuild(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestLiveTransfer shows which policy is read from pods that run.
func TestLiveTransfer(t *testing.T) {
	const (
		byLabel = `{"labelKey":"topology.kubernetes.io/zone","domain":"zone"}`
		zone    = "topology.kubernetes.io/zone"
	)
	ofZone := []graphplan.TopologyLabel{{Domain: "zone", Key: zone}}
	weight := 0.5
	cases := map[string]struct {
		reason, policy, body string
		change               func(*corev1.PodTemplateSpec)
		want                 *v1alpha1.KVTransferPolicy
		labels               []graphplan.TopologyLabel
	}{
		"Label": {
			reason: "What was built is read again.", policy: byLabel, body: `{"componentType":"worker"}`,
			want: &v1alpha1.KVTransferPolicy{LabelKey: zone, Domain: "zone", Enforcement: "required"}, labels: ofZone,
		},
		"Topology": {
			reason: "A preference is read with its weight.", policy: `{"clusterTopologyName":"t","domain":"zone","enforcement":"preferred","preferredWeight":0.5}`, body: `{"componentType":"worker"}`,
			want: &v1alpha1.KVTransferPolicy{ClusterTopologyName: "t", Domain: "zone", Enforcement: "preferred", PreferredWeight: &weight}, labels: ofZone,
		},
		"NotALabel": {
			reason: "A file that is no label is none of the policy.", policy: byLabel, body: `{"componentType":"worker"}`,
			change: func(template *corev1.PodTemplateSpec) { template.Spec.Volumes[0].DownwardAPI.Items[0].FieldRef = nil },
			want:   &v1alpha1.KVTransferPolicy{LabelKey: zone, Domain: "zone", Enforcement: "required"},
		},
		"None": {reason: "A frontend has no policy.", policy: byLabel, body: `{"componentType":"frontend"}`},
		"Own": {
			reason: "A volume that the user has written is no policy.", policy: `null`,
			body: `{"componentType":"worker","annotations":{"nvidia.com/topology-label-key":"a"},"extraPodSpec":{"volumes":[{"name":"topology-labels","downwardAPI":{}}]}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			template := withPolicy(t, tc.policy, tc.body, ofZone...)
			if tc.change != nil {
				tc.change(&template)
			}
			s := decodeComponent(t, tc.body).Component("S")
			policy, labels := LiveTransfer(s, &corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Annotations: template.Annotations}, Spec: template.Spec})
			if diff := cmp.Diff(tc.want, policy); diff != "" {
				t.Errorf("%s\nLiveTransfer(...): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.labels, labels); diff != "" {
				t.Errorf("%s\nLiveTransfer(...) labels: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
