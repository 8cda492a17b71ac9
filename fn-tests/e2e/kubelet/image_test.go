package kubelet

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestIsMissing(t *testing.T) {
	cases := map[string]struct {
		reason string
		image  string
		want   bool
	}{
		"Tag":         {reason: "A tag that ends so does not exist.", image: "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.0-missing", want: true},
		"Name":        {reason: "A name that ends so does not exist.", image: "registry.example.org/vllm-missing:1.3.0", want: true},
		"Untagged":    {reason: "An image needs no tag.", image: "vllm-missing", want: true},
		"Digest":      {reason: "A digest follows the name.", image: "registry.example.org/vllm-missing@sha256:0123", want: true},
		"Port":        {reason: "The colon before a port begins no tag.", image: "registry.example.org:5000/vllm-missing", want: true},
		"OfTests":     {reason: "Tests name an image that is missing.", image: "registry.example.org/runtime" + TagMissing, want: true},
		"Elsewhere":   {reason: "A folder of a registry may be called so.", image: "registry.example.org/a-missing/vllm:1.3.0"},
		"OtherTag":    {reason: "Other images exist.", image: "registry.example.org/vllm:1.3.0"},
		"OtherDigest": {reason: "Other digests exist, too.", image: "registry.example.org/vllm@sha256:0123"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := isMissing(tc.image); got != tc.want {
				t.Errorf("%s\nisMissing(%q): want %t, got %t", tc.reason, tc.image, tc.want, got)
			}
		})
	}
}

// TestBacksOff follows the pulls of an image from one change to the next.
func TestBacksOff(t *testing.T) {
	var pulls []time.Duration
	waits := true
	for at := time.Duration(0); at < 15*time.Minute; {
		now, change := backsOff(at)
		if change <= 0 {
			t.Fatalf("after %s: want the next change later, got it after %s", at, change)
		}
		if now == waits {
			t.Fatalf("after %s: want the kubelet to wait and to pull by turns, got twice %t", at, now)
		}
		if waits = now; !waits {
			pulls = append(pulls, at)
		}
		at += change
	}
	want := []time.Duration{0, 10 * time.Second, 30 * time.Second, 70 * time.Second, 150 * time.Second, 310 * time.Second, 610 * time.Second}
	if diff := cmp.Diff(want, pulls); diff != "" {
		t.Errorf("The pause doubles up to five minutes.\npulls: -want, +got:\n%s", diff)
	}
}
