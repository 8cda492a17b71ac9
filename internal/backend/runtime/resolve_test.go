package runtime

import "testing"

func TestResolve(t *testing.T) {
	const tagged, untagged = "example.org/vllm:1.2.1", "example.org/vllm:latest"
	cases := map[string]struct {
		reason    string
		policy    Policy
		component Component
		want      Version
		source    Source
	}{
		"Force": {
			reason: "A platform can have all graphs use one release.",
			policy: Policy{Version: "1.1.0", Force: true}, component: Component{Override: "1.4.0", Image: tagged, Remembered: "1.3.0"}, want: "1.1.0", source: FromForce,
		},
		"Override": {
			reason: "The user knows better than the tag.",
			policy: Policy{Version: "1.1.0"}, component: Component{Override: "1.4.0", Image: tagged, Remembered: "1.3.0"}, want: "1.4.0", source: FromOverride,
		},
		"InvalidOverride": {
			reason:    "The tag counts where the override is not a version.",
			component: Component{Override: "new", Image: tagged}, want: "1.2.1", source: FromImage,
		},
		"Image": {
			reason: "The tag tells what is in the image, so the input and the memory do not matter.",
			policy: Policy{Version: "1.1.0"}, component: Component{Image: tagged, Remembered: "1.3.0"}, want: "1.2.1", source: FromImage,
		},
		"Input": {
			reason: "The platform knows the images without a version.",
			policy: Policy{Version: "1.1.0"}, component: Component{Image: untagged, Remembered: "1.3.0"}, want: "1.1.0", source: FromInput,
		},
		"Memory": {
			reason:    "The same image keeps the version that was assumed for it.",
			component: Component{Image: untagged, Remembered: "1.3.0"}, want: "1.3.0", source: FromMemory,
		},
		"Default": {
			reason:    "Most users run the newest release.",
			component: Component{Image: untagged}, want: Assumed, source: FromDefault,
		},
		"ForceWithoutVersion": {
			reason: "There is nothing to force without a version.",
			policy: Policy{Force: true}, component: Component{Image: tagged}, want: "1.2.1", source: FromImage,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, source := tc.policy.Resolve(tc.component)
			if got != tc.want || source != tc.source {
				t.Errorf("%s\nResolve(...): want %s from %s, got %s from %s", tc.reason, tc.want, tc.source, got, source)
			}
		})
	}
}
