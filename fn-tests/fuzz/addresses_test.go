package fuzz

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/api"
)

// addressPassword is what must not be said.
const addressPassword = "hunter2-of-an-address"

// addresses with credentials, and values beside the names of credentials, as users copy them into fields that are for a name.
func addresses() []string {
	return []string{
		"https://user:" + addressPassword + "@nvcr.io/nvidia/runtime:1.5.0", "user:" + addressPassword + "@nvcr.io/nvidia/runtime:1.5.0",
		"https://" + addressPassword + "@github.com/org/model",
		"password=" + addressPassword, "HF_TOKEN=" + addressPassword, "--api-key=" + addressPassword,
		"Authorization: Bearer " + addressPassword, `{"password": "` + addressPassword + `"}`,
	}
}

// written in place of each text of a value, also in lists and objects.
func written(value any, address string) any {
	switch typed := value.(type) {
	case string:
		return address
	case []any:
		all := make([]any, len(typed))
		for i := range typed {
			all[i] = written(typed[i], address)
		}
		return all
	case object:
		all := object{}
		for name, below := range typed {
			all[name] = written(below, address)
		}
		return all
	default:
		return value
	}
}

// TestNoAddressLeaks writes an address with a password into each field of the API, and into flags that name a model, and looks for the password in
// what the functions say of the graph.
func TestNoAddressLeaks(t *testing.T) {
	e, in, c := newEnvironment(t), newInflater(t), newChain(t)
	w := e.cluster(&program{bytes: []byte{1, 1, 0}})
	said := 0
	hunt := func(what string, tree object) {
		g, ok := newGraph(tree)
		if !ok {
			return
		}
		a, err := c.run(t.Context(), g, w)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		texts := []string{a.log, a.fatal}
		for _, r := range a.results {
			texts = append(texts, r.GetMessage())
		}
		for _, condition := range a.conditions() {
			texts = append(texts, condition.GetMessage())
		}
		status, err := protojson.Marshal(a.desired.GetComposite().GetResource())
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range append(texts, string(status)) {
			if i := strings.Index(text, addressPassword); i >= 0 {
				t.Errorf("%s: want no password, got %s", what, text[max(0, i-200):min(len(text), i+60)])
			}
			if strings.Contains(text, "***@") {
				said++
			}
		}
	}
	for i, sample := range in.samples {
		// The status repeats the id of a restart, by which it is recognized.
		if testing.Short() && i%8 != 0 || sample.Path == "spec.restart.id" {
			continue
		}
		for _, address := range addresses() {
			component := sample.Service
			if component == "" {
				component = "Worker"
			}
			tree := runtime.DeepCopyJSON(in.graph)
			api.Merge(tree, withComponent(sample.With, component))
			place(tree, strings.Split(sample.Path, "."), component, written(numbers(sample.Value), address))
			hunt(fmt.Sprintf("%s: %s", sample.Path, address), tree)
		}
	}
	for _, flag := range []string{"model", "served-model-name", "model-path", "model-name", "endpoint"} {
		for _, address := range append(addresses(), "https://host/model?X-Amz-Signature="+addressPassword) {
			tree := runtime.DeepCopyJSON(in.graph)
			eachMain(childOf(childOf(tree, "spec"), "services"), func(main map[string]any) { main["args"] = []any{"--" + flag, address} })
			hunt(fmt.Sprintf("--%s %s", flag, address), tree)
		}
	}
	if said == 0 {
		t.Error("want at least one message with a masked address")
	}
}
