package page

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAnchors(t *testing.T) {
	cases := map[string]struct {
		reason string
		text   string
		want   []string
	}{
		"Words": {
			reason: "Spaces become dashes, capitals small letters, and punctuation is left out.",
			text:   "# Moving in\n\n## 1. What's new, and what isn't\n\n### A - B\n",
			want:   []string{"moving-in", "1-whats-new-and-what-isnt", "a---b"},
		},
		"Markup": {
			reason: "The anchor is made of what a reader sees.",
			text:   "## [agg-vllm](../examples/agg-vllm.yaml)\n\n## `spec.some_field` and **more**\n",
			want:   []string{"agg-vllm", "specsome_field-and-more"},
		},
		"Twice": {
			reason: "Headings with the same text are numbered from the second one on.",
			text:   "## Added\n\n## Fixed\n\n## Added\n\n## Added\n",
			want:   []string{"added", "fixed", "added-1", "added-2"},
		},
		"Blocks": {
			reason: "A comment in a script is no heading, and neither is a number sign without a space.",
			text:   "# Install\n\n```bash\n# Not a heading\n```\n\n  ```bash\n  # Not one either\n  ```\n\n#5 is an issue.\n",
			want:   []string{"install"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Anchors(tc.text)); diff != "" {
				t.Errorf("\n%s\nanchors: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
