package plan_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/forms"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
)

// differentInComponents are the cases whose response is another one once their graph is converted to v1beta1, by table and case, with the
// reason.
func differentInComponents() map[string]string {
	const reported = "The status has the message of the other form, so that it is reported again in this one."
	return map[string]string{
		"TestRefusedLive/PodsDied": reported,
		"TestWarnings/Again":       reported,
	}
}

// inComponents runs the cases of a table on the conversion of their graphs to v1beta1. The response is the same but for its messages, which
// name the fields that their user sees. Those that differ are compared with a golden file.
func inComponents(t *testing.T, cases map[string]responseCase) {
	t.Helper()
	text := &strings.Builder{}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		got := run(t, plantest.InComponents(t, cases[name].req))
		reason, listed := differentInComponents()[t.Name()+"/"+name]
		diff := cmp.Diff(withoutMessages(cases[name].want), withoutMessages(got), protocmp.Transform())
		if (diff != "") != listed {
			t.Errorf("%s: converted to v1beta1 (listed as different: %q), -want, +got:\n%s", name, reason, diff)
		}
		same := messagesOf(cases[name].want)
		if messages := slices.DeleteFunc(messagesOf(got), func(m string) bool { return slices.Contains(same, m) }); len(messages) > 0 {
			fmt.Fprintln(text, name)
			for _, message := range messages {
				fmt.Fprintln(text, "  "+message)
				if words := forms.OfServices(message); len(words) > 0 {
					t.Errorf("%s: the message has %q, which a graph with components does not have: %s", name, words, message)
				}
			}
		}
	}
	if text.Len() > 0 {
		harness.Golden(t, filepath.Join("testdata", "components", t.Name()+".txt"), []byte(text.String()))
	}
}

// messagesOf the conditions and the results of a response.
func messagesOf(rsp *fnv1.RunFunctionResponse) []string {
	var messages []string
	for _, c := range rsp.GetConditions() {
		messages = append(messages, c.GetMessage())
	}
	for _, r := range rsp.GetResults() {
		messages = append(messages, r.GetMessage())
	}
	slices.Sort(messages)
	return slices.Compact(messages)
}

func withoutMessages(rsp *fnv1.RunFunctionResponse) *fnv1.RunFunctionResponse {
	rsp = proto.CloneOf(rsp)
	for _, c := range rsp.GetConditions() {
		c.Message = nil
	}
	for _, r := range rsp.GetResults() {
		r.Message = ""
	}
	return rsp
}
