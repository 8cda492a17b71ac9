package foundation

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// Defaults for the configuration of an Endpoint Picker.
const (
	eppConfigAPIVersion = "inference.networking.x-k8s.io/v1alpha1"
	eppConfigKind       = "EndpointPickerConfig"
)

// waitForLeader is the script that makes workers wait for their leader, if a pod mounts it.
func (f *foundation) waitForLeader() []composed {
	if !f.plan.WaitForLeader {
		return nil
	}
	return []composed{{names.KeyWaitForLeader, &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: f.objectMeta(f.graph.Names().WaitForLeader(), map[string]string{metadata.LabelGraphName: f.graph.Name}),
		Data:       map[string]string{backend.WaitScriptKey: backend.WaitScript()},
	}}}
}

// eppConfigMap contains the inline configuration of the Endpoint Picker.
func (f *foundation) eppConfigMap() ([]composed, error) {
	for _, component := range f.graph.ComponentsByName() {
		if !component.HasEPPConfig() {
			continue
		}
		text, err := eppConfig(*component.EPPConfig.Config)
		if err != nil {
			return nil, errors.Wrapf(err, "cannot encode the configuration of component %s", component.Name)
		}
		return []composed{{names.KeyEPPConfigMap, &corev1.ConfigMap{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
			ObjectMeta: f.objectMeta(f.graph.Names().EPPConfigMap(), f.eppLabels(component.Name)),
			Data:       map[string]string{pod.EPPConfigKey: text},
		}}}, nil
	}
	return nil, nil
}

func eppConfig(config v1alpha1.EndpointPickerConfig) (string, error) {
	if config.APIVersion == "" {
		config.APIVersion = eppConfigAPIVersion
	}
	if config.Kind == "" {
		config.Kind = eppConfigKind
	}
	encoded, err := json.Marshal(config)
	if err != nil {
		return "", err
	}
	text, err := yaml.JSONToYAML(encoded)
	return string(text), err
}
