package preview

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"

	"github.com/crossplane/function-sdk-go/errors"
)

// ServerVersion of the cluster, such as v1.34.1.
func (l *Live) ServerVersion() (string, error) {
	out, err := l.kubectl("version", "--output=json")
	if err != nil {
		return "", err
	}
	found := struct {
		ServerVersion struct {
			GitVersion string `json:"gitVersion"`
		} `json:"serverVersion"`
	}{}
	if err := json.Unmarshal(out, &found); err != nil {
		return "", errors.Wrap(err, "cannot parse what kubectl prints about the version of the cluster")
	}
	if found.ServerVersion.GitVersion == "" {
		return "", errors.New("kubectl does not print the version of the cluster")
	}
	return found.ServerVersion.GitVersion, nil
}

// A Subject that may do something or not. Without a name, it is the user of the kubeconfig.
type Subject struct {
	// Namespace and Name of a ServiceAccount.
	Namespace, Name string
}

// An Access to resources that a subject may have or not.
type Access struct {
	Subject Subject

	Verb, Group, Resource, Subresource string

	// Namespace. An empty text stands for all namespaces.
	Namespace string
}

// Allowed tells for each access whether the subject has it, in their order. The API server reviews them and stores nothing. The error is a
// *ForbiddenError if the user of the kubeconfig may not ask for others.
func (l *Live) Allowed(accesses []Access) ([]bool, error) {
	if len(accesses) == 0 {
		return nil, nil
	}
	reviews := make([]any, 0, len(accesses))
	for i := range accesses {
		reviews = append(reviews, accesses[i].review())
	}
	list, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": reviews})
	if err != nil {
		return nil, errors.Wrap(err, "cannot encode reviews")
	}
	out, err := l.Send(list, l.arguments("create", "--filename=-", "--validate=false", "--output=json")...)
	if err != nil {
		return nil, permitted(err)
	}
	return answers(out, len(accesses))
}

// answers to a number of reviews, as kubectl prints them: one object after the other.
func answers(out []byte, n int) ([]bool, error) {
	var allowed []bool
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		review := struct {
			Status authorizationv1.SubjectAccessReviewStatus `json:"status"`
		}{}
		switch err := decoder.Decode(&review); {
		case errors.Is(err, io.EOF) && len(allowed) == n:
			return allowed, nil
		case errors.Is(err, io.EOF):
			return nil, errors.Errorf("kubectl prints %d of %d reviews", len(allowed), n)
		case err != nil:
			return nil, errors.Wrap(err, "cannot parse what kubectl prints about reviews")
		}
		allowed = append(allowed, review.Status.Allowed)
	}
}

// review of an access. Everybody may ask for their own.
func (a *Access) review() any {
	attributes := &authorizationv1.ResourceAttributes{
		Namespace: a.Namespace, Verb: a.Verb, Group: a.Group, Version: "*", Resource: a.Resource, Subresource: a.Subresource,
	}
	if a.Subject.Name == "" {
		review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: attributes}}
		review.APIVersion, review.Kind = authorizationv1.SchemeGroupVersion.String(), "SelfSubjectAccessReview"
		return review
	}
	const accounts = "system:serviceaccounts"
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		ResourceAttributes: attributes,
		User:               strings.Join([]string{"system:serviceaccount", a.Subject.Namespace, a.Subject.Name}, ":"),
		Groups:             []string{accounts, accounts + ":" + a.Subject.Namespace, "system:authenticated"},
	}}
	review.APIVersion, review.Kind = authorizationv1.SchemeGroupVersion.String(), "SubjectAccessReview"
	return review
}
