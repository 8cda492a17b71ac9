package foundation

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
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
		config := pod.EPPConfig(component)
		if config == "" {
			continue
		}
		text, err := yaml.JSONToYAML([]byte(config))
		if err != nil {
			return nil, errors.Wrapf(err, "cannot encode the configuration of component %s", component.Name)
		}
		return []composed{{names.KeyEPPConfigMap, &corev1.ConfigMap{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
			ObjectMeta: f.objectMeta(f.graph.Names().EPPConfigMap(), f.eppLabels(component.Name)),
			Data:       map[string]string{pod.EPPConfigKey: string(text)},
		}}}, nil
	}
	return nil, nil
}
