package input

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
)

// RuntimePolicy for the versions of components.
func RuntimePolicy(in *v1alpha1.Input) runtime.Policy {
	return runtime.Policy{Version: runtime.Version(in.Runtime.Version), Force: in.Runtime.Force}
}

func validateRuntime(path *field.Path, in v1alpha1.Runtime) field.ErrorList {
	if in.Version == "" {
		if in.Force {
			return field.ErrorList{field.Required(path.Child("version"), "specify the version to force, or remove force")}
		}
		return nil
	}
	return validate.RuntimeVersion(path.Child("version"), in.Version).ErrorsIn(message.Components{})
}
