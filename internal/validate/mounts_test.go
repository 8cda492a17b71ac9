package validate_test

import (
	"testing"
)

func TestBadMounts(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"HomeOfTheUser": {
			reason: "The shell is what expands a tilde.",
			patch:  `spec: {services: {decode: {volumeMounts: [{name: a, mountPoint: ~/.cache}]}}}`,
			want: []string{
				`spec.services[decode].volumeMounts[0].mountPoint: Invalid value: "~/.cache": must begin with a slash; ~ and variables are not expanded`,
			},
		},
		"RelativeMountPath": {
			reason: "A mount path must be absolute.",
			patch:  `spec: {services: {decode: {extraPodSpec: {volumes: [{name: a, emptyDir: {}}], mainContainer: {volumeMounts: [{name: a, mountPath: models}]}}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.mainContainer.volumeMounts[0].mountPath: Invalid value: "models": must begin with a slash; ~ and variables are not expanded`,
			},
		},
		"ColonInMountPath": {
			reason: "A colon separates in container runtimes.",
			patch:  `spec: {services: {decode: {extraPodSpec: {volumes: [{name: a, emptyDir: {}}], mainContainer: {volumeMounts: [{name: a, mountPath: "/a:/b"}]}}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.mainContainer.volumeMounts[0].mountPath: Invalid value: "/a:/b": may not contain a colon`,
			},
		},
		"ClaimAtPathOfVolume": {
			reason: "Two volumes cannot be mounted at one path.",
			patch:  `spec: {services: {decode: {volumeMounts: [{name: b, mountPoint: /a/}], extraPodSpec: {volumes: [{name: a, emptyDir: {}}], mainContainer: {volumeMounts: [{name: a, mountPath: /a}]}}}}}`,
			want: []string{
				`spec.services[decode].volumeMounts[0].mountPoint: Invalid value: "/a/": is also used in mainContainer.volumeMounts; change one of the two`,
			},
		},
		"CacheAtDefaultPathOfVolume": {
			reason: "The default path of a compilation cache may be in use as well.",
			patch:  `spec: {services: {decode: {volumeMounts: [{name: b, useAsCompilationCache: true}], extraPodSpec: {volumes: [{name: a, emptyDir: {}}], mainContainer: {volumeMounts: [{name: a, mountPath: /root/.cache/vllm}]}}}}}`,
			want: []string{
				`spec.services[decode].volumeMounts[0].mountPoint: Invalid value: "/root/.cache/vllm": is also used in mainContainer.volumeMounts; change one of the two`,
			},
		},
		"CacheThatIsMountedAlready": {
			reason: "The main container may mount the volume of the cache itself.",
			patch:  `spec: {services: {decode: {volumeMounts: [{name: b, useAsCompilationCache: true}], extraPodSpec: {mainContainer: {volumeMounts: [{name: b, mountPath: /root/.cache/vllm/, subPath: vllm}]}}}}}`,
		},
		"CacheThatIsMountedReadOnly": {
			reason: "An engine writes to its compilation cache.",
			patch:  `spec: {services: {decode: {volumeMounts: [{name: b, useAsCompilationCache: true, mountPoint: /b}], extraPodSpec: {mainContainer: {volumeMounts: [{name: b, mountPath: /b, readOnly: true}]}}}}}`,
			want: []string{
				`spec.services[decode].volumeMounts[0].mountPoint: Invalid value: "/b": is mounted read-only in mainContainer.volumeMounts, so the engine cannot write its compilation cache; remove readOnly`,
			},
		},
		"ClaimThatIsMountedAlready": {
			reason: "A claim that is not a cache is mounted once at a path.",
			patch:  `spec: {services: {decode: {volumeMounts: [{name: b, mountPoint: /b}], extraPodSpec: {mainContainer: {volumeMounts: [{name: b, mountPath: /b}]}}}}}`,
			want: []string{
				`spec.services[decode].volumeMounts[0].mountPoint: Invalid value: "/b": is also used in mainContainer.volumeMounts; change one of the two`,
			},
		},
		"ClaimCalledAsVolume": {
			reason: "A volume of the pod is mounted in the same way as a claim.",
			patch:  `spec: {services: {decode: {volumeMounts: [{name: a, mountPoint: /a}], extraPodSpec: {volumes: [{name: a, emptyDir: {}}]}}}}`,
		},
		"ClaimThatIsVolumeToo": {
			reason: "A claim that the service mounts may also be defined as a volume by hand.",
			patch:  `spec: {services: {decode: {volumeMounts: [{name: a, mountPoint: /a}], extraPodSpec: {volumes: [{name: a, persistentVolumeClaim: {claimName: a}}]}}}}`,
		},
		"ClaimWithDots": {
			reason: "The volume gets the name of the claim.",
			patch:  `spec: {services: {decode: {volumeMounts: [{name: a.b, mountPoint: /a}]}}}`,
			want: []string{
				`spec.services[decode].volumeMounts[0].name: Invalid value: "a.b": must be a DNS label, because a volume of the pod gets this name: lower-case letters, digits and dashes, at most 63 characters; mount other claims through extraPodSpec.volumes`,
			},
		},
		"SubPathOutside": {
			reason: "A subPath must be a path within the volume.",
			patch:  `spec: {services: {decode: {extraPodSpec: {volumes: [{name: a, emptyDir: {}}], mainContainer: {volumeMounts: [{name: a, mountPath: /a, subPath: ../b}, {name: a, mountPath: /c, subPath: /d}]}}}}}`,
			want: []string{
				`spec.services[decode].extraPodSpec.mainContainer.volumeMounts[0].subPath: Invalid value: "../b": must be a relative path within the volume and may not contain ..`,
				`spec.services[decode].extraPodSpec.mainContainer.volumeMounts[1].subPath: Invalid value: "/d": must be a relative path within the volume and may not contain ..`,
			},
		},
		"TwoSubPaths": {
			reason: "A mount cannot have both subPath and subPathExpr.",
			patch:  `spec: {services: {decode: {extraPodSpec: {volumes: [{name: a, emptyDir: {}}], mainContainer: {volumeMounts: [{name: a, mountPath: /a, subPath: b, subPathExpr: c}]}}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.mainContainer.volumeMounts[0].subPathExpr: Forbidden: may not be set together with subPath; remove one of the two",
			},
		},
	})
}
