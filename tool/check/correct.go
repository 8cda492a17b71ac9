package check

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
)

// maxCorrections is the number of times that a graph is corrected, because a field of which the name is wrong may have others below it.
const maxCorrections = 4

// graph finds what is wrong with a graph. A field whose name is wrong is missing at its place, so much else would seem to be wrong, and its own
// value would not be checked. Therefore the rest is found in the graph with the fields that were probably meant.
func (c *Checker) graph(ctx context.Context, o manifest.Object, others []unstructured.Unstructured) ([]Finding, error) {
	var mistakes []Finding
	for range maxCorrections {
		result, err := c.Previewer.Preview(ctx, o, others)
		if err != nil {
			return nil, err
		}
		found, err := c.Findings(result)
		if err != nil {
			return nil, err
		}
		corrected, wrong := correct(o, found)
		if len(wrong) == 0 {
			return sorted(append(mistakes, found...)), nil
		}
		mistakes, o = append(mistakes, wrong...), corrected
	}
	return sorted(mistakes), nil
}

// correct the names of fields that are wrong, and return the findings about them.
func correct(o manifest.Object, found []Finding) (manifest.Object, []Finding) {
	var mistakes []Finding
	var renames []manifest.Rename
	for _, f := range found {
		if f.Meant != "" {
			mistakes, renames = append(mistakes, f), append(renames, manifest.Rename{Path: f.Field, Name: f.Meant})
		}
	}
	if len(renames) == 0 {
		return o, nil
	}
	// One copy for all, because there may be thousands.
	corrected, done := o.Renamed(renames)
	var wrong []Finding
	for i, f := range mistakes {
		if done[i] {
			wrong = append(wrong, f)
		}
	}
	return corrected, wrong
}

// metadataFields are those that an object and its metadata may have.
func metadataFields() (object, metadata []string) {
	for f := range reflect.TypeFor[metav1.ObjectMeta]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		metadata = append(metadata, name)
	}
	return []string{"apiVersion", "kind", "metadata", "spec", "status"}, metadata
}

// unknownAround spec: fields of the graph and of its metadata that do not exist. The API server refuses them, or drops them silently.
func unknownAround(o *manifest.Object) []Finding {
	object, metadata := metadataFields()
	found := unknownIn(o, "", o.Object, object)
	if content, ok := o.Object["metadata"].(map[string]any); ok {
		found = append(found, unknownIn(o, "metadata.", content, metadata)...)
	}
	return found
}

func unknownIn(o *manifest.Object, parent string, content map[string]any, known []string) []Finding {
	var found []Finding
	for name := range content {
		if slices.Contains(known, name) {
			continue
		}
		remedy := "remove it"
		near := strict.Nearest(name, known)
		if near != "" && !has(content, near) {
			remedy = fmt.Sprintf("did you mean %q?", near)
		} else {
			near = ""
		}
		f := about(o, Error, rule.UnknownField, parent+name, "unknown field; %s", remedy)
		f.Meant = near
		found = append(found, f)
	}
	return found
}

func has(content map[string]any, name string) bool {
	_, ok := content[name]
	return ok
}
