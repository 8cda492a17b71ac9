package render

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/server"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
)

// packagePrefix is the beginning of the names of this project's Function packages.
const packagePrefix = "function-dynamo-"

// runnersOf finds the function of this program for each step of a pipeline. Like the Crossplane renderer, it requires every function of the
// pipeline to be among the Function objects.
func runnersOf(steps []pipeline.CompositionStep, objects []unstructured.Unstructured, chain []server.Function) (map[string]pipeline.Function, error) {
	installed := make([]string, 0, len(objects))
	for _, o := range objects {
		switch o.GetAPIVersion() + "/" + o.GetKind() {
		case "pkg.crossplane.io/v1/Function", "pkg.crossplane.io/v1beta1/Function":
			installed = append(installed, o.GetName())
		default:
			return nil, errors.Errorf("not a function: %s/%s", o.GetKind(), o.GetName())
		}
	}

	for _, s := range steps {
		if ref := s.FunctionRef.Name; !slices.Contains(installed, ref) {
			return nil, errors.Errorf("pipeline step %q refers to function %q, which is not one of the given functions (%s)", s.Step, ref, strings.Join(installed, ", "))
		}
	}
	return Runners(steps, chain)
}

// Runners are the functions of this program that run the steps of a pipeline, by the names with which the steps refer to them.
func Runners(steps []pipeline.CompositionStep, chain []server.Function) (map[string]pipeline.Function, error) {
	out := make(map[string]pipeline.Function, len(steps))
	for _, s := range steps {
		ref := s.FunctionRef.Name
		fn, ok := FunctionOf(ref, chain)
		if !ok {
			return nil, errors.Errorf("pipeline step %q refers to function %q, which is not part of this program; it has %s", s.Step, ref, contained(chain))
		}
		out[ref] = pipeline.OverTheWire(fn.Runner)
	}
	return out, nil
}

// FunctionOf a functionRef.
func FunctionOf(ref string, chain []server.Function) (fn server.Function, ok bool) {
	i := slices.IndexFunc(chain, func(fn server.Function) bool { return refersTo(ref, fn.Name) })
	if i < 0 {
		return server.Function{}, false
	}
	return chain[i], true
}

// refersTo reports whether a functionRef refers to the function with a name. A Function that was installed as a dependency is named after
// its repository, so the organization may precede the name of the package.
func refersTo(ref, name string) bool {
	pkg := packagePrefix + name
	return ref == pkg || strings.HasSuffix(ref, "-"+pkg)
}

func contained(chain []server.Function) string {
	names := make([]string, len(chain))
	for i, fn := range chain {
		names[i] = packagePrefix + fn.Name
	}
	return strings.Join(names, ", ")
}
