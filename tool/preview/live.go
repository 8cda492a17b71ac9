package preview

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/kubectl"
)

// Live is the cluster of a kubeconfig. It reads what functions require, when they require it, and nothing else. The values of Secrets that
// are required by name are read, too, because functions have to see whether a key is usable, but no command prints them.
//
// It is read with kubectl, which knows how to log in, and keeps clients of Kubernetes out of the functions.
type Live struct {
	// Kubeconfig and Context that kubectl reads. Both are optional.
	Kubeconfig, Context string

	// Run kubectl with arguments.
	Run func(args ...string) (stdout []byte, err error)

	// Send manifests to kubectl, which runs with arguments. Only what people may do is reviewed in this way.
	Send func(manifests []byte, args ...string) (stdout []byte, err error)

	lock sync.Mutex
	read map[string][]unstructured.Unstructured
}

// Kubectl runs the user's kubectl.
func Kubectl(ctx context.Context) func(args ...string) ([]byte, error) {
	send := KubectlWithInput(ctx)
	return func(args ...string) ([]byte, error) { return send(nil, args...) }
}

// KubectlWithInput runs the user's kubectl, which reads manifests from its standard input.
func KubectlWithInput(ctx context.Context) func(manifests []byte, args ...string) ([]byte, error) {
	return func(manifests []byte, args ...string) ([]byte, error) {
		out, err := kubectl.Send(ctx, manifests, args...)
		return out, errors.Wrap(err, "cannot read the cluster")
	}
}

// Resources that selectors select.
func (l *Live) Resources(selectors map[string]*fnv1.ResourceSelector) (map[string]*fnv1.Resources, error) {
	found := make(map[string]*fnv1.Resources, len(selectors))
	for _, name := range slices.Sorted(maps.Keys(selectors)) {
		objects, err := l.selected(selectors[name])
		if err != nil {
			return nil, errors.Wrapf(err, "cannot resolve requirement %q", name)
		}
		found[name] = &fnv1.Resources{}
		for i := range objects {
			data, err := structpb.NewStruct(objects[i].Object)
			if err != nil {
				return nil, errors.Wrapf(err, "cannot encode %s %q", objects[i].GetKind(), objects[i].GetName())
			}
			found[name].Items = append(found[name].Items, &fnv1.Resource{Resource: data})
		}
	}
	return found, nil
}

// selected objects.
func (l *Live) selected(s *fnv1.ResourceSelector) ([]unstructured.Unstructured, error) {
	q := queryOf(s)
	return l.get(q.arguments())
}

// A Query selects objects of a kind.
type Query struct {
	APIVersion, Kind string

	// Resource as kubectl names it, in place of the kind: in the version that the cluster prefers, unless the name has one.
	Resource string

	// Namespace of the objects. It is empty if they have none, or are in any namespace.
	Namespace string

	// Names of the objects. Without names, all objects that the selectors select.
	Names []string

	// Labels and Fields are selectors. Both are optional.
	Labels, Fields string

	// ManagedFields says that the objects are read with their field managers.
	ManagedFields bool
}

// queryOf what a selector selects.
func queryOf(s *fnv1.ResourceSelector) Query {
	q := Query{APIVersion: s.GetApiVersion(), Kind: s.GetKind(), Namespace: s.GetNamespace()}
	switch match := s.GetMatch().(type) {
	case *fnv1.ResourceSelector_MatchName:
		q.Names = []string{match.MatchName}
	case *fnv1.ResourceSelector_MatchLabels:
		q.Labels = labels.FormatLabels(match.MatchLabels.GetLabels())
	}
	return q
}

// arguments of kubectl: flags, and then what may be named by the user.
func (q *Query) arguments() []string {
	resource := q.Resource
	if resource == "" {
		gvk := schema.FromAPIVersionAndKind(q.APIVersion, q.Kind)
		resource = strings.Join([]string{gvk.Kind, gvk.Version, gvk.Group}, ".")
	}
	flags := []string{"get"}
	if q.ManagedFields {
		flags = append(flags, "--show-managed-fields")
	}
	flags = append(flags, "--output=json", "--ignore-not-found")
	if q.Namespace != "" {
		flags = append(flags, "--namespace="+q.Namespace)
	}
	if len(q.Names) > 0 {
		return append(append(flags, "--", resource), q.Names...)
	}
	if q.Labels != "" {
		flags = append(flags, "--selector="+q.Labels)
	}
	if q.Fields != "" {
		flags = append(flags, "--field-selector="+q.Fields)
	}
	if q.Namespace == "" {
		flags = append(flags, "--all-namespaces")
	}
	return append(flags, "--", resource)
}

// Get the objects that a query selects. Those that do not exist are left out. The error is a *ForbiddenError if the user of the kubeconfig
// may not read them.
func (l *Live) Get(q Query) ([]unstructured.Unstructured, error) {
	objects, err := l.get(q.arguments())
	return objects, permitted(err)
}

// Decode an object of a cluster. Fields that the type does not have are ignored.
func Decode(object *unstructured.Unstructured, typed any) error {
	data, err := json.Marshal(object.Object)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, typed)
}

// Log is the end of the log of a container: of the one that runs, or of the one before it.
func (l *Live) Log(namespace, pod, container string, previous bool, lines int) (string, error) {
	out, err := l.kubectl("logs", "--namespace="+namespace, "--container="+container, "--previous="+strconv.FormatBool(previous),
		"--tail="+strconv.Itoa(lines), "--", pod)
	return string(out), permitted(err)
}

// Namespace of the context, which is default unless the kubeconfig names another one.
func (l *Live) Namespace() (string, error) {
	out, err := l.kubectl("config", "view", "--minify", "--output=jsonpath={..namespace}")
	namespace := cmp.Or(strings.TrimSpace(string(out)), metav1.NamespaceDefault)
	return namespace, errors.Wrap(err, "cannot find a context in the kubeconfig; pass --context, or --kubeconfig")
}

// get objects once.
func (l *Live) get(args []string) ([]unstructured.Unstructured, error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	key := strings.Join(args, "\x00")
	if objects, ok := l.read[key]; ok {
		return objects, nil
	}
	out, err := l.kubectl(args...)
	if err != nil {
		// A kind that is not served has no objects.
		if !strings.Contains(err.Error(), "the server doesn't have a resource type") {
			return nil, err
		}
		out = nil
	}
	objects, err := decoded(out)
	if err != nil {
		return nil, err
	}
	if l.read == nil {
		l.read = map[string][]unstructured.Unstructured{}
	}
	l.read[key] = objects
	return objects, nil
}

// kubectl with the cluster of the flags.
func (l *Live) kubectl(args ...string) ([]byte, error) {
	return l.Run(l.arguments(args...)...)
}

// arguments of kubectl with the cluster of the flags.
func (l *Live) arguments(args ...string) []string {
	var flags []string
	if l.Kubeconfig != "" {
		flags = append(flags, "--kubeconfig="+l.Kubeconfig)
	}
	if l.Context != "" {
		flags = append(flags, "--context="+l.Context)
	}
	return append(flags, args...)
}

// decoded output of kubectl: nothing, an object or a list.
func decoded(out []byte) ([]unstructured.Unstructured, error) {
	if len(bytes.TrimSpace(out)) == 0 {
		return nil, nil
	}
	object := unstructured.Unstructured{}
	if err := json.Unmarshal(out, &object.Object); err != nil {
		return nil, errors.Wrap(err, "cannot parse what kubectl prints")
	}
	items, isList := object.Object["items"].([]any)
	if !isList || object.GetKind() != "List" {
		return []unstructured.Unstructured{object}, nil
	}
	var objects []unstructured.Unstructured
	for _, item := range items {
		if content, isObject := item.(map[string]any); isObject {
			objects = append(objects, unstructured.Unstructured{Object: content})
		}
	}
	return objects, nil
}

// Schemas of kinds. Only whether a kind is served is known.
func (l *Live) Schemas(selectors map[string]*fnv1.SchemaSelector) (map[string]*fnv1.Schema, error) {
	found := make(map[string]*fnv1.Schema, len(selectors))
	for _, name := range slices.Sorted(maps.Keys(selectors)) {
		s := selectors[name]
		served, err := l.serves(s.GetApiVersion(), s.GetKind())
		if err != nil {
			return nil, errors.Wrapf(err, "cannot resolve requirement %q", name)
		}
		found[name] = &fnv1.Schema{}
		if served {
			found[name].OpenapiV3 = &structpb.Struct{Fields: map[string]*structpb.Value{"type": structpb.NewStringValue("object")}}
		}
	}
	return found, nil
}

// serves reports whether the cluster serves a kind. A version that it does not serve has no kinds.
func (l *Live) serves(apiVersion, kind string) (bool, error) {
	kinds, err := l.Kinds(apiVersion)
	return slices.Contains(kinds, kind), err
}

// Groups of the API that the cluster serves, without the first one of Kubernetes, which has no name.
func (l *Live) Groups() ([]string, error) {
	out, err := l.kubectl("get", "--raw=/apis")
	if err != nil {
		return nil, err
	}
	list := metav1.APIGroupList{}
	if err := json.Unmarshal(out, &list); err != nil {
		return nil, errors.Wrap(err, "cannot parse what kubectl prints about API groups")
	}
	var groups []string
	for i := range list.Groups {
		groups = append(groups, list.Groups[i].Name)
	}
	return groups, nil
}

// Kinds that the cluster serves in a version of an API group. None if it does not serve this version.
func (l *Live) Kinds(apiVersion string) ([]string, error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	out, err := l.kubectl("get", "--raw=/apis/"+apiVersion)
	if err != nil {
		if strings.Contains(err.Error(), "(NotFound)") {
			return nil, nil
		}
		return nil, err
	}
	list := metav1.APIResourceList{}
	if err := json.Unmarshal(out, &list); err != nil {
		return nil, errors.Wrapf(err, "cannot parse what kubectl prints about %s", apiVersion)
	}
	var kinds []string
	for i := range list.APIResources {
		kinds = append(kinds, list.APIResources[i].Kind)
	}
	return kinds, nil
}
