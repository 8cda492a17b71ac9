// Package crds checks rendered objects against the rules of API servers and admission webhooks.
package crds

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// podCliqueSet contains the fields that Grove's webhook checks. The types with which the functions write it are not used here, because an
// error in them would not be detected.
type podCliqueSet struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		Replicas *int32 `json:"replicas"`
		Template struct {
			Cliques            []clique            `json:"cliques"`
			StartupType        string              `json:"cliqueStartupType"`
			TerminationDelay   *metav1.Duration    `json:"terminationDelay"`
			TopologyConstraint *topologyConstraint `json:"topologyConstraint"`
			ScalingGroups      []scalingGroup      `json:"podCliqueScalingGroups"`
		} `json:"template"`
	} `json:"spec"`
}

type clique struct {
	Name               string              `json:"name"`
	Labels             map[string]string   `json:"labels"`
	Annotations        map[string]string   `json:"annotations"`
	TopologyConstraint *topologyConstraint `json:"topologyConstraint"`
	Spec               struct {
		RoleName     string         `json:"roleName"`
		PodSpec      corev1.PodSpec `json:"podSpec"`
		Replicas     int32          `json:"replicas"`
		MinAvailable *int32         `json:"minAvailable"`
		StartsAfter  []string       `json:"startsAfter"`
		AutoScaling  *autoScaling   `json:"autoScalingConfig"`
	} `json:"spec"`
}

type scalingGroup struct {
	Name               string              `json:"name"`
	CliqueNames        []string            `json:"cliqueNames"`
	Replicas           *int32              `json:"replicas"`
	MinAvailable       *int32              `json:"minAvailable"`
	TopologyConstraint *topologyConstraint `json:"topologyConstraint"`
	ScaleConfig        *autoScaling        `json:"scaleConfig"`
}

type autoScaling struct {
	MinReplicas *int32 `json:"minReplicas"`
	MaxReplicas int32  `json:"maxReplicas"`
}

type topologyConstraint struct {
	TopologyName string        `json:"topologyName"`
	PackDomain   string        `json:"packDomain"`
	Pack         *topologyPack `json:"pack"`
}

type topologyPack struct {
	Required  string `json:"required"`
	Preferred string `json:"preferred"`
}

func decode(object *unstructured.Unstructured) (*podCliqueSet, error) {
	data, err := json.Marshal(object.Object)
	if err != nil {
		return nil, fmt.Errorf("cannot encode a PodCliqueSet: %w", err)
	}
	set := &podCliqueSet{}
	if err := json.Unmarshal(data, set); err != nil {
		return nil, fmt.Errorf("cannot decode a PodCliqueSet: %w", err)
	}
	return set, nil
}

// CliquePods says what is wrong with the pods of the cliques of a PodCliqueSet.
func CliquePods(object *unstructured.Unstructured) []string {
	set, err := decode(object)
	if err != nil {
		return []string{err.Error()}
	}
	var broken []string
	for _, clique := range set.Spec.Template.Cliques {
		meta := metav1.ObjectMeta{Labels: clique.Labels, Annotations: clique.Annotations}
		for _, b := range Pod(meta, &clique.Spec.PodSpec) {
			broken = append(broken, "clique "+clique.Name+": "+b)
		}
	}
	return broken
}
