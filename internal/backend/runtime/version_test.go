package runtime

import "testing"

func TestOfImage(t *testing.T) {
	cases := map[string]struct {
		reason string
		image  string
		want   Version
	}{
		"Release":          {reason: "A tag that is a release is the version.", image: "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.0", want: "1.3.0"},
		"LeadingV":         {reason: "A leading v is not part of the version.", image: "example.org/vllm:v1.3.0", want: "1.3.0"},
		"LeadingCapitalV":  {reason: "A leading capital V is not part of the version either.", image: "example.org/vllm:V1.3.0", want: "1.3.0"},
		"Variant":          {reason: "A variant of a release is that release, although semantic versioning orders it before.", image: "example.org/vllm:1.3.0-efa", want: "1.3.0"},
		"PreRelease":       {reason: "A pre-release is the release that it precedes.", image: "example.org/vllm:1.5.0-nemotron-3.5-lightning-dev.1", want: "1.5.0"},
		"Digest":           {reason: "A digest after the tag is ignored.", image: "example.org/vllm:1.3.0@sha256:4a44", want: "1.3.0"},
		"DigestOnly":       {reason: "A digest says nothing about the version.", image: "example.org/vllm@sha256:4a44"},
		"NoTag":            {reason: "An image without a tag has no version.", image: "example.org/vllm"},
		"Port":             {reason: "The port of a registry is not a tag.", image: "localhost:5000/vllm"},
		"PortAndTag":       {reason: "The tag comes after the last slash.", image: "localhost:5000/vllm:0.9.1", want: "0.9.1"},
		"Word":             {reason: "A word is not a version.", image: "example.org/vllm:latest"},
		"TwoNumbers":       {reason: "A version has three numbers.", image: "example.org/vllm:1.3"},
		"FourNumbers":      {reason: "A version has no more than three numbers.", image: "example.org/vllm:1.3.0.1"},
		"Word after":       {reason: "A release does not go on with just any letter.", image: "example.org/vllm:1.3.0x"},
		"Mirror":           {reason: "A mirror of another project has its releases too.", image: "registry.example.org:5000/mirror/vllm/vllm-openai:v0.26.0"},
		"Namesake":         {reason: "Another repository that is called alike may have releases of Dynamo.", image: "example.org/team/vllm-openai:1.3.0", want: "1.3.0"},
		"NumberInWord":     {reason: "A number within a tag is not a version.", image: "example.org/vllm:build-1.3.0"},
		"LeadingZero":      {reason: "A semantic version has no leading zeros.", image: "example.org/vllm:1.03.0"},
		"MoreThan64Bits":   {reason: "A number that does not fit is not a version.", image: "example.org/vllm:1.99999999999999999999.0"},
		"Empty":            {reason: "No image has no version."},
		"Placeholder":      {reason: "A placeholder has no version.", image: "${IMAGE}"},
		"SpaceAfterTheTag": {reason: "A tag with a space is not valid.", image: "example.org/vllm:1.3.0 "},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, ok := OfImage(tc.image)
			if got != tc.want || ok != (tc.want != "") {
				t.Errorf("%s\nOfImage(%q): want %q, got %q, %v", tc.reason, tc.image, tc.want, got, ok)
			}
		})
	}
}

func TestCompare(t *testing.T) {
	cases := map[string]struct {
		reason   string
		v, other Version
		want     int
	}{
		"Equal":     {reason: "A version is as new as itself.", v: "1.3.0", other: "1.3.0"},
		"Numbers":   {reason: "Numbers are compared as numbers, not as texts.", v: "1.10.0", other: "1.9.0", want: 1},
		"Patch":     {reason: "A patch is newer than its release.", v: "1.2.1", other: "1.2.0", want: 1},
		"Major":     {reason: "The major version counts first.", v: "0.9.9", other: "1.0.0", want: -1},
		"ZeroValue": {reason: "The zero value is the release that is assumed.", other: Assumed},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.v.Compare(tc.other); got != tc.want {
				t.Errorf("%s\n%q.Compare(%q): want %d, got %d", tc.reason, tc.v, tc.other, tc.want, got)
			}
		})
	}
}

func TestReleasesApart(t *testing.T) {
	cases := map[string]struct {
		reason   string
		v, other Version
		want     uint64
	}{
		"Patch":      {reason: "Patches are of one release.", v: "1.5.0", other: "1.5.3"},
		"Newer":      {reason: "The other one may be newer.", v: "1.2.9", other: "1.5.0", want: 3},
		"Older":      {reason: "The other one may be older.", v: "1.10.0", other: "1.9.0", want: 1},
		"Major":      {reason: "Nothing says how many releases the major version before had.", v: "1.0.2", other: "0.9.1", want: 1},
		"AfterMajor": {reason: "All releases of the newer major version are in between.", v: "0.9.1", other: "1.2.0", want: 3},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.v.ReleasesApart(tc.other); got != tc.want {
				t.Errorf("%s\n%q.ReleasesApart(%q): want %d, got %d", tc.reason, tc.v, tc.other, tc.want, got)
			}
		})
	}
}

// TestPublicTags reads tags of images that graphs have been published with, and of public images of Dynamo.
func TestPublicTags(t *testing.T) {
	const none = ""
	images := map[Version][]string{
		"0.3.1": {"nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.3.1"},
		"0.3.2": {"nvcr.io/nvidia/ai-dynamo/sglang-runtime:0.3.2", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.3.2"},
		"0.4.1": {"ghcr.io/team/ai-dynamo-xpu:v0.4.1-b1", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.4.1"},
		"0.5.0": {"nvcr.io/nvidia/ai-dynamo/sglang-runtime:0.5.0", "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.5.0", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.5.0"},
		"0.5.1": {"nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.5.1", "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.5.1-rc0.pre3"},
		"0.6.0": {"nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.6.0"},
		"0.6.1": {"nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.6.1", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.6.1.post1", "nvcr.io/nvidia/ai-dynamo/sglang-runtime:0.6.1"},
		"0.7.0": {"nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.7.0", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.7.0.post1", "nvcr.io/nvidia/ai-dynamo/sglang-runtime:0.7.0.post2"},
		"0.7.1": {"nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.7.1"},
		"0.8.0": {"nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.0", "nvcr.io/nvidia/ai-dynamo/sglang-runtime:0.8.0", "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.0"},
		"0.8.1": {"nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1", "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1", "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:0.8.1.post1"},
		"0.9.0": {"nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.9.0", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.9.0-cuda13"},
		"0.9.1": {"nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.9.1"},
		"1.0.0": {
			"nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.0.0", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.0.0-efa-amd64", "nvcr.io/nvstaging/ai-dynamo/vllm-runtime:1.0.0rc8-arm64",
			"example.org/vllm-placeholder:1.0.0",
		},
		"1.0.1": {"nvcr.io/nvidia/ai-dynamo/sglang-runtime:1.0.1", "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:1.0.1", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.0.1-efa-amd64"},
		"1.0.2": {"nvcr.io/nvidia/ai-dynamo/sglang-runtime:1.0.2"},
		"1.1.0": {"nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:1.1.0"},
		"1.1.1": {
			"nvcr.io/nvidia/ai-dynamo/sglang-runtime:1.1.1", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.1.1-efa-amd64", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.1.1-cuda13",
			"nvcr.io/nvidia/ai-dynamo/dynamo-frontend:1.1.1",
		},
		"1.2.0": {
			"nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.2.0", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.2.0-efa", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.2.0-deepseek-v4-cuda13-dev.3",
			"nvcr.io/nvidia/ai-dynamo/sglang-runtime:1.2.0-deepseek-v4-cuda13-dev.2", "nvcr.io/nvidia/ai-dynamo/sglang-runtime:1.2.0-sglang-deepseek-v4-b200-dev.1",
			"nvcr.io/nvidia/ai-dynamo/dynamo-frontend:1.2.0",
		},
		"1.2.1": {"nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.2.1", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.2.1-cuda13", "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:1.2.1"},
		"1.3.0": {
			"nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.0", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.0-efa", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.0-dev.1-efa",
			"nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.0-kimi-k2.6-dev.1", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.0-nemotron-super-dev.1",
			"nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.0-nemotron-ultra-dev.1", "nvcr.io/nvstaging/ai-dynamo/vllm-runtime:1.3.0-nemotron-ultra-dev.1-pr.10234-cuda13",
			"nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:1.3.0", "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:1.3.0-deepseek-v4-dev.1", "nvcr.io/nvidia/ai-dynamo/dynamo-frontend:1.3.0",
			"nvcr.io/nvidia/ai-dynamo/dynamo-vllm-sidecar:1.3.0", "nvcr.io/nvidia/ai-dynamo/dynamo-sglang-sidecar:1.3.0", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.0.post1",
			"nvcr.io/nvidia/ai-dynamo/vllm-runtime:v1.3.0", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.0.dev20260601", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.0rc2.post1.dev3-cu130",
			"nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.0@sha256:0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9",
		},
		"1.3.1": {"nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.1", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.1-efa", "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:1.3.1"},
		"1.4.0": {
			"nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0-efa", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0-kimi-k3-dev.1",
			"nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0-qwen-3.8-2.4t-dev.1", "nvcr.io/nvidia/ai-dynamo/sglang-runtime:1.4.0-inkling-dev.1",
			"nvcr.io/nvidia/ai-dynamo/sglang-runtime:1.4.0-qwen-3.8-2.4t-dev.1", "nvcr.io/nvidia/ai-dynamo/dynamo-frontend:1.4.0",
		},
		"1.4.1": {"nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.1", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.1-efa"},
		"1.4.2": {"nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.2", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.2-efa"},
		"1.5.0": {
			"nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.0", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.0-kimi-k3-dev.1", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.0-rc.2",
			"nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.0-nemotron-3.5-lightning-dev.1", "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:1.5.0-nemotron-3.5-lightning-dev.1",
			"example.azurecr.io/dynamo:1.5.0-ci-e3ca1b40dd877531f3276116cb773c6a782b1122-vllm-runtime",
		},
		"1.6.0": {
			"nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.6.0", "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.6.0-deepseek-v4.1-flash-dev.1",
			"example.azurecr.io/dynamo:1.6.0-ci-d98da56221899faf0f81e340eff1cf1186ca201d-sglang-runtime",
		},
		none: {
			"example.org/biswa:7e499b5c460f1883a9945d221123e0760051210f-39500608-vllm-amd64", "example.org/dev-dynamo-vllm:elastic_ep_scale_lock", "dynamo-frontend:my-tag",
			"dynamo-frontend:test", "dynamo-planner:nightly-2025-05-01", "dynamo-planner:poc", "dynamo-planner:dev", "example.org/dynamo-trtllm-mx:<TAG>", "dynamo-trtllm:full",
			"dynamo-vllm:latest", "example.org/dynamo:latest-vllm-runtime", "example.org/dynamo:post-rebase", "example.org/dynamo:vllm-1029", "modelexpress-vllm-runtime:latest",
			"sglang-runtime:efa", "sglang-runtime:hzhou-0808-07", "sglang-runtime:hzhou-0811-1", "trtllm-runtime:dep-233.17", "vllm-runtime:axk2-v0.23.0", "vllm-runtime:custom-encoder",
			"vllm-runtime:kvcr", "vllm_v1-runtime:dep-216.4", "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:my-tag-patched", "nvcr.io/nvidia/ai-dynamo/sglang-runtime:<version>",
			"vllm/vllm-openai:v0.26.0", "vllm/vllm-openai:qwen38-flash-next", "docker.io/vllm/vllm-openai:v0.21.0-cu129-ubuntu2404", "lmsysorg/sglang:v0.5.17",
			"nvcr.io/nvidia/tensorrt-llm/release:1.3.0rc21", "nvcr.io/nvidia/ai-dynamo/modelexpress-server:0.3.0",
			"nvcr.io/nvidia/ai-dynamo/vllm-runtime@sha256:0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9",
		},
	}
	seen := map[string]bool{}
	for want, all := range images {
		for _, image := range all {
			if seen[image] {
				t.Errorf("%s is in the table twice.", image)
			}
			seen[image] = true
			if got, ok := OfImage(image); got != want || ok != (want != none) {
				t.Errorf("OfImage(%q): want %q, got %q, %v", image, want, got, ok)
			}
		}
	}
	if len(seen) < 100 {
		t.Errorf("want a hundred tags, got %d", len(seen))
	}
}

// FuzzOfImage reads any text.
func FuzzOfImage(f *testing.F) {
	for _, image := range []string{"", "a:1.3.0", "a:1.3.0.post1", "a:1.3.0rc1", "localhost:5000/a:v1.3.0-efa@sha256:0", "vllm/vllm-openai:v0.26.0", "a:1.99999999999999999999.0"} {
		f.Add(image)
	}
	f.Fuzz(func(t *testing.T, image string) {
		v, ok := OfImage(image)
		if again, err := Parse(string(v)); ok && (err != nil || again != v) {
			t.Errorf("OfImage(%q): %q is not a version: %v", image, v, err)
		}
		if OtherProject(image) != "" && ok {
			t.Errorf("OfImage(%q): %q is the release of another project", image, v)
		}
	})
}
