package validate_test

import (
	"testing"
)

func TestBadReferences(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"BadNamesOfClasses": {
			reason: "The API server refuses pods that refer to objects by names that no object can have.",
			patch:  `spec: {services: {decode: {extraPodSpec: {runtimeClassName: My_Class, resourceClaims: [{name: a, resourceClaimName: My_Claim}, {name: b, resourceClaimTemplateName: My_Template}]}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.resourceClaims[0].resourceClaimName: Invalid value: "My_Claim": is not a valid name of a ResourceClaim; use lower-case letters, digits, dashes and dots`,
				`spec.services[decode].extraPodSpec.resourceClaims[1].resourceClaimTemplateName: Invalid value: "My_Template": is not a valid name of a ResourceClaimTemplate; use lower-case letters, digits, dashes and dots`,
				`spec.services[decode].extraPodSpec.runtimeClassName: Invalid value: "My_Class": is not a valid name of a RuntimeClass; use lower-case letters, digits, dashes and dots`,
			},
		},
		"UnknownFields": {
			reason: "The API server refuses variables of fields that pods do not offer, and modes that are no permissions, such as 755 for 0755.",
			patch: `spec: {services: {decode: {envs: [{name: A, valueFrom: {fieldRef: {fieldPath: spec.replicas}}}, {name: B, valueFrom: {fieldRef: {fieldPath: "metadata.labels['a/b']"}}},
				{name: C, valueFrom: {resourceFieldRef: {resource: limits.nvidia.com/gpu}}}, {name: D, valueFrom: {resourceFieldRef: {resource: requests.hugepages-2Mi}}}],
				extraPodSpec: {volumes: [{name: a, configMap: {name: a, defaultMode: 755}}, {name: b, secret: {secretName: b, defaultMode: 0755}}]}}}}`,
			want: []string{
				`spec.services[decode].envs[0].valueFrom.fieldRef.fieldPath: Invalid value: "spec.replicas": is not a field of pods that variables can have; use metadata.name, metadata.namespace, metadata.uid, a label or annotation such as metadata.labels['app'], spec.nodeName, spec.serviceAccountName, status.hostIP or status.podIP`,
				`spec.services[decode].envs[2].valueFrom.resourceFieldRef.resource: Invalid value: "limits.nvidia.com/gpu": only limits and requests of cpu, memory, ephemeral-storage and hugepages are available; write the value itself`,
				"spec.services[decode].extraPodSpec.volumes[0].configMap.defaultMode: Invalid value: 755: must be from 0 to 0777; permissions are written with a leading zero, such as 0755",
			},
		},
		"SecretWithoutName": {
			reason: "A variable from a Secret must name the Secret.",
			patch:  `spec: {services: {decode: {envs: [{name: A, valueFrom: {secretKeyRef: {key: a}}}]}}}`,
			want: []string{
				"spec.services[decode].envs[0].valueFrom.secretKeyRef.name: Required value: specify the name of the Secret",
			},
		},
		"SecretWithoutKey": {
			reason: "A variable from a Secret must name the key.",
			patch:  `spec: {services: {decode: {envs: [{name: A, valueFrom: {secretKeyRef: {name: a, key: ""}}}]}}}`,
			want: []string{
				"spec.services[decode].envs[0].valueFrom.secretKeyRef.key: Required value: specify the key of the Secret",
			},
		},
		"BadConfigMapName": {
			reason: "The ConfigMap of a variable must be a valid object name.",
			patch:  `spec: {envs: [{name: A, valueFrom: {configMapKeyRef: {name: My_Map, key: a}}}]}`,
			want: []string{
				`spec.envs[0].valueFrom.configMapKeyRef.name: Invalid value: "My_Map": is not a valid name of a ConfigMap; use lower-case letters, digits, dashes and dots`,
			},
		},
		"FieldWithoutPath": {
			reason: "A variable from a field must name the path of the field.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {env: [{name: A, valueFrom: {fieldRef: {fieldPath: ""}}}]}}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.mainContainer.env[0].valueFrom.fieldRef.fieldPath: Required value: specify a field of the pod, such as status.podIP",
			},
		},
		"ResourceWithoutName": {
			reason: "A variable from a resource must name the resource.",
			patch:  `spec: {services: {decode: {extraPodSpec: {initContainers: [{name: a, image: x, env: [{name: A, valueFrom: {resourceFieldRef: {resource: ""}}}]}]}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.initContainers[0].env[0].valueFrom.resourceFieldRef.resource: Required value: specify a resource, such as limits.cpu",
			},
		},
		"EnvFromNothing": {
			reason: "An entry of envFrom must name a Secret or a ConfigMap.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {envFrom: [{prefix: A_}]}}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.mainContainer.envFrom[0]: Forbidden: must have exactly one of secretRef and configMapRef, but has 0",
			},
		},
		"EnvFromTwo": {
			reason: "An entry of envFrom cannot name both a Secret and a ConfigMap.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {envFrom: [{secretRef: {name: a}, configMapRef: {name: b}}]}}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.mainContainer.envFrom[0]: Forbidden: must have exactly one of secretRef and configMapRef, but has 2",
			},
		},
		"EnvFromWithoutName": {
			reason: "The ConfigMap of an entry of envFrom must have a name.",
			patch:  `spec: {services: {decode: {extraPodSpec: {mainContainer: {envFrom: [{configMapRef: {}}]}}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.mainContainer.envFrom[0].configMapRef.name: Required value: specify the name of the ConfigMap",
			},
		},
		"SidecarEnv": {
			reason: "The variables of the sidecar are checked as well.",
			patch:  `spec: {services: {decode: {frontendSidecar: {image: x, envs: [{name: A, valueFrom: {secretKeyRef: {key: a}}}]}}}}`,
			want: []string{
				"spec.services[decode].frontendSidecar.envs[0].valueFrom.secretKeyRef.name: Required value: specify the name of the Secret",
			},
		},
		"BadServiceAccount": {
			reason: "The ServiceAccount must be a valid object name.",
			patch:  `spec: {services: {decode: {extraPodSpec: {serviceAccountName: My_Account}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.serviceAccountName: Invalid value: "My_Account": is not a valid name of a ServiceAccount; use lower-case letters, digits, dashes and dots`,
			},
		},
		"SecretVolumeWithoutName": {
			reason: "A volume from a Secret must name the Secret.",
			patch:  `spec: {services: {decode: {extraPodSpec: {volumes: [{name: a, secret: {}}]}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.volumes[0].secret.secretName: Required value: specify the name of the Secret",
			},
		},
		"ConfigMapVolumeWithoutName": {
			reason: "A volume from a ConfigMap must name the ConfigMap.",
			patch:  `spec: {services: {decode: {extraPodSpec: {volumes: [{name: a, configMap: {}}]}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.volumes[0].configMap.name: Required value: specify the name of the ConfigMap",
			},
		},
		"ClaimVolumeWithoutName": {
			reason: "A volume from a claim must name the claim.",
			patch:  `spec: {services: {decode: {extraPodSpec: {volumes: [{name: a, persistentVolumeClaim: {claimName: ""}}]}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.volumes[0].persistentVolumeClaim.claimName: Required value: specify the name of the PersistentVolumeClaim",
			},
		},
		"HostPathWithoutPath": {
			reason: "A hostPath volume must name the path.",
			patch:  `spec: {services: {decode: {extraPodSpec: {volumes: [{name: a, hostPath: {path: ""}}]}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.volumes[0].hostPath.path: Required value: specify the path on the node",
			},
		},
		"NegativeEmptyDir": {
			reason: "The size of an emptyDir cannot be negative.",
			patch:  `spec: {services: {decode: {extraPodSpec: {volumes: [{name: a, emptyDir: {sizeLimit: -1Gi}}]}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.volumes[0].emptyDir.sizeLimit: Invalid value: "-1Gi": must be at least 0`,
			},
		},
	})
}

func TestBadModelReferences(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"ModelWithoutName": {
			reason: "A model has a name.",
			patch:  `spec: {services: {decode: {modelRef: {name: ""}}}}`,
			want: []string{
				"spec.services[decode].modelRef.name: Required value: specify the name of the model",
			},
		},
	})
}
