package observed

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	schedulingv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/scheduling/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// LeaderWorkerSet is what is read of a LeaderWorkerSet. There is one for each replica of a component, and their pods, which
// are most of them, are all alike.
type LeaderWorkerSet struct {
	metav1.ObjectMeta

	// Component that it runs, lower-cased.
	Component string

	// Nodes of the replica.
	Nodes int32

	// Worker is the metadata of the workers' template, SchedulerName their scheduler, and SchedulingGroup the PodGroup of Kubernetes that
	// they name.
	Worker          metav1.ObjectMeta
	SchedulerName   string
	SchedulingGroup string
}

// PodGroup is what is read of a PodGroup.
type PodGroup struct {
	// Component whose gang it is, lower-cased.
	Component string

	Queue           string
	NetworkTopology *graphplan.NetworkTopology

	// Native says that it is one of Kubernetes itself. TopologyKey is the label by which that packs its pods.
	Native      bool
	TopologyKey string
}

func (s *State) decodeLeaderWorkerSets() error {
	for _, key := range s.keys {
		component, multinode, ok := names.WorkloadOf(key)
		if !ok || !multinode {
			continue
		}
		set, err := s.leaderWorkerSet(key, component)
		if err != nil {
			return err
		}
		s.LeaderWorkerSets = append(s.LeaderWorkerSets, set)
	}
	return nil
}

// leaderWorkerSet under a key. Only the first one of a component is decoded with its pods.
func (s *State) leaderWorkerSet(key, component string) (LeaderWorkerSet, error) {
	if err := s.decodePods(key, component); err != nil {
		return LeaderWorkerSet{}, err
	}
	set := setWithoutPods{}
	if err := require.Into(s.Resources()[key].GetResource(), &set); err != nil {
		return LeaderWorkerSet{}, err
	}
	template := &set.Spec.LeaderWorkerTemplate
	worker := &template.WorkerTemplate
	return LeaderWorkerSet{
		ObjectMeta: set.ObjectMeta, Component: component, Nodes: template.Size, Worker: worker.ObjectMeta,
		SchedulerName: worker.Spec.SchedulerName, SchedulingGroup: groupOf(worker.Spec.SchedulingGroup),
	}, nil
}

// groupOf pods is the name of their PodGroup of Kubernetes. Empty if they name none.
func groupOf(group *corev1.PodSchedulingGroup) string {
	if group == nil {
		return ""
	}
	return ptr.Deref(group.PodGroupName, "")
}

// setWithoutPods is a LeaderWorkerSet without the specs of its pods.
type setWithoutPods struct {
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec struct {
		LeaderWorkerTemplate struct {
			Size int32 `json:"size"`

			WorkerTemplate struct {
				metav1.ObjectMeta `json:"metadata,omitzero"`

				Spec struct {
					SchedulerName   string                     `json:"schedulerName,omitempty"`
					SchedulingGroup *corev1.PodSchedulingGroup `json:"schedulingGroup,omitempty"`
				} `json:"spec,omitzero"`
			} `json:"workerTemplate,omitzero"`
		} `json:"leaderWorkerTemplate,omitzero"`
	} `json:"spec,omitzero"`
}

// KueueQueue is the queue of Kueue in which the workloads of a graph were created, and their priority in it. Empty if there is none.
func (s *State) KueueQueue() (queue, priority string) {
	for _, key := range s.keys {
		if _, _, workload := names.WorkloadOf(key); !workload && key != string(names.KeyPodCliqueSet) {
			continue
		}
		object := s.Resources()[key].GetResource()
		if queue := tree.Text(object, metadata.AnnotationKueueQueue, "metadata", "annotations"); queue != "" {
			return queue, tree.Text(object, metadata.AnnotationKueuePriority, "metadata", "annotations")
		}
	}
	return "", ""
}

func (s *State) decodePodGroups() error {
	seen := map[string]bool{}
	for _, key := range s.keys {
		component, ok := names.PodGroupOf(key)
		if !ok || seen[component] {
			continue
		}
		seen[component] = true
		group := podGroup{}
		if err := require.Into(s.Resources()[key].GetResource(), &group); err != nil {
			return err
		}
		s.PodGroups = append(s.PodGroups, PodGroup{
			Component: component, Queue: group.Spec.Queue, NetworkTopology: group.Spec.NetworkTopology,
			Native: KindOf(s.Resources()[key].GetResource()) == KindNativePodGroup, TopologyKey: group.Spec.TopologyKey(),
		})
	}
	return nil
}

type podGroup struct {
	Spec struct {
		schedulingv1beta1.Spec `json:",inline"`

		Queue           string                     `json:"queue,omitempty"`
		NetworkTopology *graphplan.NetworkTopology `json:"networkTopology,omitempty"`
	} `json:"spec,omitzero"`
}

func (s *State) decodeDeployments() error {
	for _, key := range s.keys {
		component, multinode, ok := names.WorkloadOf(key)
		if !ok || multinode {
			continue
		}
		if err := s.decodePods(key, component); err != nil {
			return err
		}
	}
	return nil
}

// decodePods of the object under a key, if it is the first workload of a component.
func (s *State) decodePods(key, component string) (err error) {
	object := s.Resources()[key].GetResource()
	kind := KindOf(object)
	if _, known := s.Pods[component]; !known && (kind == KindDeployment || kind == KindLeaderWorkerSet) {
		s.Pods[component], err = PodsOf(object)
	}
	return err
}
