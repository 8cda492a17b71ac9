package schema

import (
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane/function-sdk-go/errors"
)

// Internal returns the definition in the internal version with defaults, as the API server has it in memory.
func Internal(crd *extv1.CustomResourceDefinition) (*apiextensions.CustomResourceDefinition, error) {
	scheme := runtime.NewScheme()
	install.Install(scheme)

	crd = crd.DeepCopy()
	scheme.Default(crd)
	internal := &apiextensions.CustomResourceDefinition{}
	if err := scheme.Convert(crd, internal, nil); err != nil {
		return nil, errors.Errorf("cannot convert CustomResourceDefinition %s: %w", crd.Name, err)
	}
	return internal, nil
}
