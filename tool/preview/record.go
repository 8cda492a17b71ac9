package preview

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/errors"

	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/render"
)

// Kind of the policy.
const kindEnvironmentConfig = "EnvironmentConfig"

// Platform is what functions look up of a cluster regardless of the graph, and what graphs refer to by names of their own: the APIs that the
// embedded cluster with everything has, all objects of its kinds, and the policy. The user may not read what is in the second list.
func (l *Live) Platform() ([]unstructured.Unstructured, []*ForbiddenError, error) {
	queries, err := platformQueries()
	if err != nil {
		return nil, nil, err
	}
	var all []unstructured.Unstructured
	var forbidden []*ForbiddenError
	for _, q := range queries {
		objects, err := l.Get(q)
		if f, ok := IsForbidden(err); ok {
			forbidden = append(forbidden, f)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		all = append(all, objects...)
	}
	return all, forbidden, nil
}

// platformQueries are the APIs by their names, and each kind of which the embedded cluster with everything has an object.
func platformQueries() ([]Query, error) {
	known, err := ClusterNamed(fullCluster)
	if err != nil {
		return nil, err
	}
	apis := Query{APIVersion: "apiregistration.k8s.io/v1", Kind: "APIService"}
	queries := []Query{{APIVersion: "apiextensions.crossplane.io/v1beta1", Kind: kindEnvironmentConfig}}
	for i := range known {
		o := &known[i]
		if o.GetKind() == apis.Kind {
			apis.Names = append(apis.Names, o.GetName())
			continue
		}
		q := Query{APIVersion: o.GetAPIVersion(), Kind: o.GetKind()}
		if !slices.ContainsFunc(queries, func(other Query) bool { return other.APIVersion == q.APIVersion && other.Kind == q.Kind }) {
			queries = append(queries, q)
		}
	}
	slices.Sort(apis.Names)
	return append([]Query{apis}, queries...), nil
}

// Read is all that was read of the cluster, in no order.
func (l *Live) Read() []unstructured.Unstructured {
	l.lock.Lock()
	defer l.lock.Unlock()
	var all []unstructured.Unstructured
	for _, objects := range l.read {
		all = append(all, objects...)
	}
	return all
}

// Record writes objects of a cluster as one that commands take with --cluster: each once, in a fixed order, without what only the API server
// needs, and without what may be secret: the values of Secrets, the command lines and variables of containers, and EnvironmentConfigs that are no
// policy.
func Record(out io.Writer, objects []unstructured.Unstructured) error {
	byID := map[string]*unstructured.Unstructured{}
	var ids []string
	for i := range objects {
		if !isPolicy(&objects[i]) {
			continue
		}
		o := recorded(&objects[i])
		id := strings.Join([]string{rank(o.GetKind()), o.GetAPIVersion(), o.GetKind(), o.GetNamespace(), o.GetName()}, "\x00")
		if byID[id] == nil {
			ids = append(ids, id)
		}
		byID[id] = o
	}
	slices.Sort(ids)
	var text bytes.Buffer
	text.WriteString("# What the functions look up of a cluster, as dgd cluster record has read it. Commands take it with --cluster.\n")
	for i, id := range ids {
		data, err := output.YAML(byID[id].Object)
		if err != nil {
			return errors.Wrapf(err, "cannot encode %s %s", byID[id].GetKind(), byID[id].GetName())
		}
		if i > 0 {
			text.WriteString("---\n")
		}
		text.Write(data)
	}
	if _, err := out.Write(text.Bytes()); err != nil {
		return errors.Errorf("cannot write the cluster: %w", err)
	}
	return nil
}

// isPolicy reports whether an EnvironmentConfig may be the policy: its name is the default, or it has no other data than a policy. The others
// belong to somebody who does not expect their data in a file. It is true for all other kinds.
func isPolicy(object *unstructured.Unstructured) bool {
	if object.GetKind() != kindEnvironmentConfig || object.GetName() == inputv1alpha1.DefaultEnvironmentConfig {
		return true
	}
	data, err := structpb.NewValue(object.Object["data"])
	return err == nil && len(strict.Decode(data, &inputv1alpha1.Overlay{}, field.NewPath("data"), strict.Options{})) == 0
}

// rank of a kind, which puts the APIs of a cluster first.
func rank(kind string) string {
	if kind == "APIService" {
		return "0"
	}
	return "1"
}

// recorded is an object without what only the API server and other clients need.
func recorded(object *unstructured.Unstructured) *unstructured.Unstructured {
	o := object.DeepCopy()
	o.SetManagedFields(nil)
	o.SetResourceVersion("")
	o.SetGeneration(0)
	for _, field := range []string{"creationTimestamp", "selfLink"} {
		unstructured.RemoveNestedField(o.Object, "metadata", field)
	}
	annotations := o.GetAnnotations()
	delete(annotations, "kubectl.kubernetes.io/last-applied-configuration")
	if len(annotations) == 0 {
		unstructured.RemoveNestedField(o.Object, "metadata", "annotations")
	} else {
		o.SetAnnotations(annotations)
	}
	if o.GetKind() == "APIService" {
		unstructured.RemoveNestedField(o.Object, "spec", "caBundle")
	}
	o.SetUID("")
	render.Redact([]unstructured.Unstructured{*o})
	for key, value := range o.Object {
		o.Object[key] = withoutSecrets(value, false)
	}
	return o
}

// withoutSecrets replaces the texts in command lines and variables of containers, but not the names of the variables. Names are taken whatever
// containers run, and command adopt reads the cluster itself.
func withoutSecrets(value any, secret bool) any {
	switch v := value.(type) {
	case map[string]any:
		for key, child := range v {
			v[key] = withoutSecrets(child, (secret || strict.IsSecretField(key)) && key != "name")
		}
	case []any:
		for i := range v {
			v[i] = withoutSecrets(v[i], secret)
		}
	case string:
		if secret {
			return hidden
		}
	}
	return value
}

// hidden stands for a text that may be secret, as in Secrets.
const hidden = "REDACTED"
