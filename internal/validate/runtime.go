package validate

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

// runtimeVersion checks the version that the user specifies for the image of a component.
func (v *validator) runtimeVersion(path *field.Path, version string) {
	if version != "" {
		v.add(RuntimeVersion(path, version)...)
	}
}

// RuntimeVersion checks a release of Dynamo. Unlike a tag, it is only a release, without a leading v and a suffix.
func RuntimeVersion(path *field.Path, version string) message.List {
	parsed, err := runtime.Parse(version)
	if err == nil && string(parsed) == version && parsed.IsPlausible() {
		return nil
	}
	return message.List{message.Invalid(path, strict.Printable(version), "must be a release of Dynamo such as %s: three numbers of at most four digits, without a suffix", runtime.NewestWithRules())}
}
