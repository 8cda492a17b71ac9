package input

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
)

// TestSources shows which document is named for a setting: that of the value that counts, as TestPrecedence shows it.
func TestSources(t *testing.T) {
	type source struct{ In, Path string }
	inTheInput := func(path string) source { return source{"in the input of step plan", path} }
	inTheOverlay := func(path string) source { return source{"in EnvironmentConfig dynamo", path} }
	cases := map[string]struct {
		reason      string
		input, data string
		want        source
	}{
		"Nowhere":          {reason: "A default is not written anywhere, and the input is where a platform changes it.", input: `{}`, want: inTheInput("input.kai.queue")},
		"Input":            {reason: "A value of the input is there.", input: `{"kai":{"queue":"a"}}`, data: `{"kai":{"mode":"Auto"}}`, want: inTheInput("input.kai.queue")},
		"NamespaceOfInput": {reason: "The last entry that selects the namespace is named.", input: `{"kai":{"queue":"a"},"namespaces":[{"selector":{"matchNames":["b"]},"kai":{"queue":"b"}},{"selector":{"matchNames":["b","team-*"]},"kai":{"queue":"c"}}]}`, want: inTheInput("input.namespaces[1].kai.queue")},
		"Overlay":          {reason: "The EnvironmentConfig takes precedence.", input: `{"namespaces":[{"selector":{"matchNames":["*"]},"kai":{"queue":"c"}}]}`, data: `{"kai":{"queue":"b"}}`, want: inTheOverlay("EnvironmentConfig[dynamo].data.kai.queue")},
		"NamespaceOfOverlay": {
			reason: "Entries of the EnvironmentConfig for the namespace take precedence over all others.", input: `{}`, data: `{"kai":{"queue":"b"},"namespaces":[{"selector":{"matchNames":["team-a"]},"kai":{"queue":"c"}},{"selector":{"matchNames":["team-a"]}}]}`,
			want: inTheOverlay("EnvironmentConfig[dynamo].data.namespaces[0].kai.queue"),
		},
		"OtherNamespace": {reason: "An entry for another namespace does not count.", input: `{}`, data: `{"namespaces":[{"selector":{"matchNames":["b"]},"kai":{"queue":"c"}}]}`, want: inTheInput("input.kai.queue")},
		"Null":           {reason: "A null counts as absent.", input: `{"kai":{"queue":"a"}}`, data: `{"kai":{"queue":null}}`, want: inTheInput("input.kai.queue")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var data *structpb.Value
			if tc.data != "" {
				data = structpb.NewStructValue(steptest.Struct(tc.data))
			}
			s := SourcesOf(given(tc.input), data, "dynamo", "team-a")
			if diff := cmp.Diff(tc.want, source{s.In("kai.queue"), s.Path("kai.queue").String()}); diff != "" {
				t.Errorf("%s\nSourcesOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
	if diff := cmp.Diff(inTheInput("input.runtime.version"), source{Sources{}.In("runtime.version"), Sources{}.Path("runtime.version").String()}); diff != "" {
		t.Errorf("Without documents there are only defaults: -want, +got:\n%s", diff)
	}
}
