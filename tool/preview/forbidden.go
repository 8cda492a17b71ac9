package preview

import (
	"fmt"
	"regexp"

	"github.com/crossplane/function-sdk-go/errors"
)

// A ForbiddenError says what the user of the kubeconfig may not do.
type ForbiddenError struct {
	Verb string `json:"verb"`

	// Resource with its group and subresource, such as deployments.apps or pods/log.
	Resource string `json:"resource"`

	// Namespace. An empty text stands for the whole cluster.
	Namespace string `json:"namespace,omitempty"`
}

func (e *ForbiddenError) Error() string {
	where := "in the whole cluster"
	if e.Namespace != "" {
		where = "in namespace " + e.Namespace
	}
	return fmt.Sprintf("%s %s %s", e.Verb, e.Resource, where)
}

// refused is what the API server says of somebody without a permission.
// https://github.com/kubernetes/kubernetes/blob/v1.36.3/staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go
var refused = regexp.MustCompile(`is forbidden: User .* cannot (\S+) resource "([^"]+)" in API group "([^"]*)"(?: in the namespace "([^"]*)")?`)

// permitted returns an error as a *ForbiddenError if the API server has refused the request for want of a permission.
func permitted(err error) error {
	if err == nil {
		return nil
	}
	parts := refused.FindStringSubmatch(err.Error())
	if parts == nil {
		return err
	}
	forbidden := &ForbiddenError{Verb: parts[1], Resource: parts[2], Namespace: parts[4]}
	if parts[3] != "" {
		forbidden.Resource += "." + parts[3]
	}
	return forbidden
}

// IsForbidden reports whether the user of the kubeconfig may not do something, and what.
func IsForbidden(err error) (*ForbiddenError, bool) {
	var forbidden *ForbiddenError
	ok := errors.As(err, &forbidden)
	return forbidden, ok
}
