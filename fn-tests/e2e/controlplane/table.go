package controlplane

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// Table is what `kubectl get` shows of the objects of an API path, such as /apis/nvidia.com/v1alpha1/dynamographdeployments.
func (c *ControlPlane) Table(ctx context.Context, path string) (string, error) {
	client, err := rest.HTTPClientFor(c.admin)
	if err != nil {
		return "", fmt.Errorf("cannot make a client: %w", err)
	}
	data, err := fetch(ctx, client, c.admin.Host+path, "application/json;as=Table;v=v1;g=meta.k8s.io")
	if err != nil {
		return "", err
	}
	table := metav1.Table{}
	if err := json.Unmarshal(data, &table); err != nil {
		return "", fmt.Errorf("cannot read a table: %w", err)
	}
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	for _, column := range table.ColumnDefinitions {
		if column.Priority == 0 {
			_, _ = fmt.Fprint(w, strings.ToUpper(column.Name), "\t")
		}
	}
	for _, row := range table.Rows {
		_, _ = fmt.Fprintln(w)
		for i, cell := range row.Cells {
			if table.ColumnDefinitions[i].Priority == 0 {
				_, _ = fmt.Fprint(w, cell, "\t")
			}
		}
	}
	err = w.Flush()
	return out.String(), err
}
