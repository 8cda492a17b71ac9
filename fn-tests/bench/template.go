package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/bench/process"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
)

// startTemplate starts function-go-templating, the program of option template, with a template that contains all composed resources of a
// settled graph as text, without any logic. It is the least that a Composition of templates does to compose the same.
func (b *bench) startTemplate(ctx context.Context, settled *crossplane.Reconcile) (chain, error) {
	request, err := templateRequest(settled)
	if err != nil {
		return chain{}, err
	}
	f, err := process.StartWith(process.Settings{NoMetrics: true}, b.certificates, "template", b.options.template)
	if err != nil {
		return chain{}, err
	}
	all := group{f}
	if err := f.Listening(ctx); err != nil {
		all.stop()
		return chain{}, err
	}
	rsp, err := f.RunFunction(ctx, request)
	if err == nil && len(rsp.GetDesired().GetResources()) != len(settled.Desired().GetResources()) {
		err = fmt.Errorf("%s does not compose the resources of its template: %v", b.options.template, rsp.GetResults())
	}
	if err != nil {
		all.stop()
		return chain{}, err
	}
	return chain{all, []*fnv1.RunFunctionRequest{request}}, nil
}

// templateRequest is what Crossplane sends to a template of what a graph composes. A template requires nothing.
func templateRequest(settled *crossplane.Reconcile) (*fnv1.RunFunctionRequest, error) {
	composed := settled.Desired().GetResources()
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(composed)) {
		if err := writeTemplate(&text, name, composed[name].GetResource()); err != nil {
			return nil, err
		}
	}
	input, err := structpb.NewStruct(map[string]any{
		"apiVersion": "gotemplating.fn.crossplane.io/v1beta1", "kind": "GoTemplate",
		"source": "Inline", "inline": map[string]any{"template": text.String()},
	})
	if err != nil {
		return nil, fmt.Errorf("cannot make the input of a template: %w", err)
	}
	request := settled.Calls[0].Request
	return &fnv1.RunFunctionRequest{Meta: request.GetMeta(), Input: input, Observed: request.GetObserved()}, nil
}

// writeTemplate of an object, which has its name as a composed resource.
func writeTemplate(text *strings.Builder, name string, object *structpb.Struct) error {
	u := &unstructured.Unstructured{Object: object.AsMap()}
	annotations := u.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations["gotemplating.fn.crossplane.io/composition-resource-name"] = name
	u.SetAnnotations(annotations)
	out, err := yaml.Marshal(u.Object)
	if err != nil {
		return fmt.Errorf("cannot write a template: %w", err)
	}
	text.WriteString("---\n")
	text.Write(out)
	return nil
}

// printTemplates prints the fused function beside a template.
func (b *bench) printTemplates(results []*result) {
	if b.options.template == "" {
		return
	}
	rows := [][]string{{"workload", "fused ms", "template ms", "fused/template", "fused CPU ms", "template CPU ms"}}
	for _, r := range results {
		rows = append(rows, []string{
			r.workload.name, milliseconds(r.fused.wall()), milliseconds(r.template.wall()), ratio(r.fused.over(&r.template)),
			milliseconds(r.fused.cpu()), milliseconds(r.template.cpu()),
		})
	}
	b.table("The fused function beside a template that contains what it composes as text", rows)
}
