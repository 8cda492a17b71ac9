package check

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"google.golang.org/protobuf/types/known/structpb"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// composed finds what the API server would refuse in the objects that a graph becomes. An object of a kind whose definition is not known
// is not judged.
func (c *Checker) composed(result *preview.Result) ([]Finding, error) {
	if result.Rendered == nil {
		return nil, nil
	}
	scheme, err := c.builtIn.kinds()
	if err != nil {
		return nil, err
	}
	var found []Finding
	for i := range result.Rendered.ComposedResources {
		object := &result.Rendered.ComposedResources[i]
		errs, err := c.object(scheme, object)
		if err != nil {
			return nil, err
		}
		for _, e := range slices.DeleteFunc(errs, func(e *field.Error) bool { return isTold(e, result.Verdict) }) {
			f := ofError(&result.Source, e)
			if f.Code = rule.ComposedObject; strings.Contains(e.Detail, "unknown field") {
				// The API server drops it.
				f.Severity = Warning
			}
			// The field is one of the object, not of the graph.
			f.Position, _ = result.Source.At("metadata.name")
			f.Message, f.Field = fmt.Sprintf("becomes an invalid %s %s: %s", object.GetKind(), object.GetName(), message.WithoutPattern(withoutValue(e).Error())), ""
			f.Remedy = remedyOf(f.Code)
			found = append(found, f)
		}
	}
	return found, nil
}

// isTold reports whether plan has a warning about a field that an object does not have: both paths end with the same fields below an item.
func isTold(e *field.Error, verdict *plan.Verdict) bool {
	dropped := belowItem(e.Field)
	return strings.Contains(e.Detail, "unknown field") && slices.ContainsFunc(verdict.Warnings, func(m *message.Message) bool {
		fields := belowItem(m.FieldIn(verdict.Words()))
		return fields != "" && (dropped == fields || strings.HasPrefix(dropped, fields+"."))
	})
}

// belowItem is what follows the last item of a list in a path. Empty if there is no list in it.
func belowItem(path string) string {
	i := strings.LastIndex(path, "].")
	if i < 0 {
		return ""
	}
	return path[i+2:]
}

// withoutValue is an error without a value, which may be that of a Secret.
func withoutValue(e *field.Error) *field.Error {
	short := *e
	short.BadValue = field.OmitValueType{}
	return &short
}

// object finds what is wrong with a composed object.
func (c *Checker) object(scheme *runtime.Scheme, object *unstructured.Unstructured) (field.ErrorList, error) {
	gvk := object.GroupVersionKind()
	validator, err := c.validators.Composed(gvk)
	if err != nil {
		return nil, err
	}
	if validator != nil {
		return validator.Validate(object), nil
	}
	if !scheme.Recognizes(gvk) {
		return nil, nil
	}
	typed, err := scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	return typedErrors(object, typed), nil
}

// typedErrors are those of an object of a kind of Kubernetes.
func typedErrors(object *unstructured.Unstructured, typed runtime.Object) field.ErrorList {
	validName := validation.NameIsDNSSubdomain
	if object.GetKind() == "Service" {
		validName = validation.NameIsDNS1035Label
	}
	errs := validation.ValidateObjectMetaAccessor(object, true, validName, field.NewPath("metadata"))
	root := field.NewPath(object.GetKind())
	value, err := structpb.NewValue(object.Object)
	if err != nil {
		return append(errs, field.InternalError(root, err))
	}
	decoded := strict.Decode(value, typed, root, strict.Options{Ignored: []string{"metadata"}})
	for _, e := range decoded {
		e.Field = strings.TrimPrefix(strings.TrimPrefix(e.Field, root.String()), ".")
	}
	return append(errs, decoded...)
}

// builtIn are the kinds of Kubernetes that graphs become, which are registered once for all graphs.
type builtIn struct {
	lock   sync.Mutex
	scheme *runtime.Scheme
}

func (b *builtIn) kinds() (*runtime.Scheme, error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.scheme != nil {
		return b.scheme, nil
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		appsv1.AddToScheme, autoscalingv2.AddToScheme, corev1.AddToScheme, networkingv1.AddToScheme, rbacv1.AddToScheme, resourcev1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return nil, errors.Errorf("cannot register the kinds of Kubernetes: %w", err)
		}
	}
	b.scheme = scheme
	return scheme, nil
}
