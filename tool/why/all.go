package why

import (
	"io"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// All graphs of a cluster and why they are not ready, by namespace and name. Graphs that are deleted meanwhile are left out.
func All(reader Reader, kubectl string) ([]*Diagnosis, error) {
	graphs, err := reader.Get(preview.Query{APIVersion: apiVersion, Kind: v1alpha1.Kind})
	if err != nil {
		return nil, err
	}
	all := []*Diagnosis{}
	for i := range graphs {
		facts, err := Collect(reader, graphs[i].GetNamespace(), graphs[i].GetName())
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, errors.Wrapf(err, "DynamoGraphDeployment %s in namespace %s", graphs[i].GetName(), graphs[i].GetNamespace())
		}
		all = append(all, Diagnose(facts, kubectl))
	}
	slices.SortFunc(all, func(a, b *Diagnosis) int { return strings.Compare(a.Graph, b.Graph) })
	return all, nil
}

// WriteAll writes a line for each graph as text, or what is found about each of them as JSON.
func WriteAll(out io.Writer, all []*Diagnosis, format string) error {
	return output.Report(out, format, "the diagnoses", all, func(w *output.Writer) {
		for _, d := range all {
			w.Printf("%s\n", d.line(longest))
		}
	})
}
