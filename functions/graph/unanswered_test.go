package graph

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
)

// TestUnanswered shows what the function makes of answers that are missing while an object of the graph is observed. In each case the response
// to the first request is followed by a second call with other answers.
func TestUnanswered(t *testing.T) {
	answers := func(names ...string) map[string]*fnv1.Resources {
		all := map[string]*fnv1.Resources{}
		for _, name := range names {
			all[name] = &fnv1.Resources{}
		}
		return all
	}
	const notAnswered = "the caller has not answered these requirements, not even with an empty answer: apiservice-kai; nothing is changed; " +
		"check what is between Crossplane and the function, such as a cache or a proxy"
	type outcome struct {
		Fatal   string
		Waits   bool
		Desired []string
	}
	cases := map[string]struct {
		reason        string
		input         inputv1alpha1.Input
		first, second map[string]*fnv1.Resources
		want          []outcome
	}{
		"NotYetAsked": {
			reason: "Whether Crossplane was asked before, the first call cannot know. It desires what is observed, in case no other call follows.",
			input:  onlyKAI(), first: answers(freeNames...), second: answers(append(slices.Clone(freeNames), "apiservice-kai")...),
			want: []outcome{
				{Waits: true, Desired: []string{"bucket", "service-frontend"}},
				{Desired: []string{
					"bucket", "deployment-frontend", "discovery-role", "discovery-rolebinding", "discovery-serviceaccount", "revision", "service-frontend",
				}},
			},
		},
		"Dropped": {
			reason: "An answer that was asked for is there, if only as an empty one.",
			input:  onlyKAI(), first: answers(freeNames...), second: answers(freeNames...),
			want: []outcome{{Waits: true, Desired: []string{"bucket", "service-frontend"}}, {Fatal: notAnswered, Desired: []string{"bucket"}}},
		},
		"AskedLater": {
			reason: "What depends on the answers is asked for later, and is not missing before.",
			input:  onlyKAI(), first: answers(), second: answers("apiservice-kai"),
			want: []outcome{
				{Waits: true, Desired: []string{"bucket", "service-frontend"}}, {Waits: true, Desired: []string{"bucket", "service-frontend"}},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			fn := NewFunction(logging.NewNopLogger())
			req := request(tc.input)
			req.Observed.Resources = map[string]*fnv1.Resource{"service-frontend": {Resource: resource.MustStructJSON(
				`{"apiVersion":"v1","kind":"Service","metadata":{"name":"llama-frontend","namespace":"inference"}}`)}}
			var got []outcome
			for _, delivered := range []map[string]*fnv1.Resources{tc.first, tc.second} {
				req.RequiredResources = delivered
				rsp := steptest.Run(t, fn, req)
				said := outcome{Waits: pipeline.Waits(req, rsp)}
				for key := range rsp.GetDesired().GetResources() {
					if strings.HasPrefix(key, "revision-") {
						key = "revision"
					}
					said.Desired = append(said.Desired, key)
				}
				slices.Sort(said.Desired)
				if fatal := pipeline.Fatal(rsp); fatal != nil {
					said.Fatal = fatal.GetMessage()
				}
				got = append(got, said)
				if _, noted := rsp.GetContext().GetFields()[askedKey]; noted != said.Waits {
					t.Errorf("want what is asked for in the context: %t, got %t", said.Waits, noted)
				}
				req.Context = rsp.GetContext()
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
