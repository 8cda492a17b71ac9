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
		"Python":           {reason: "A version of a Python package is not a semantic version.", image: "example.org/vllm:0.6.1.post1"},
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
		"ZeroValue": {reason: "The zero value is the newest release.", other: Newest},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.v.Compare(tc.other); got != tc.want {
				t.Errorf("%s\n%q.Compare(%q): want %d, got %d", tc.reason, tc.v, tc.other, tc.want, got)
			}
		})
	}
}
