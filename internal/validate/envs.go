package validate

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

func (v *validator) envs(path *field.Path, envs []corev1.EnvVar) {
	for i, env := range envs {
		fieldPath := path.Index(i)
		// The text after an equals sign is probably the value, and may be a secret.
		for _, problem := range validation.IsRelaxedEnvVarName(env.Name) {
			if strings.Contains(env.Name, "=") {
				problem += "; set what follows the equals sign in value"
			}
			v.add(message.Invalid(fieldPath.Child("name"), field.OmitValueType{}, "%s", problem))
		}
		if env.ValueFrom == nil {
			continue
		}
		// The value may be a secret, so no message contains it.
		if env.Value != "" {
			v.forbidden(fieldPath, "may not have both value and valueFrom; remove one of the two")
		}
		from := env.ValueFrom
		if n := count(from.FieldRef != nil, from.ResourceFieldRef != nil, from.ConfigMapKeyRef != nil, from.SecretKeyRef != nil, from.FileKeyRef != nil); n != 1 {
			v.forbidden(fieldPath.Child("valueFrom"), "must have exactly one source, but has %d", n)
		}
	}
}

// duplicates of a variable are merged by name, and the last one takes effect.
func (w *warnings) duplicates(path *field.Path, envs []corev1.EnvVar) {
	seen := map[string]bool{}
	for i, env := range envs {
		if seen[env.Name] && env.Name != "" {
			w.add(path.Index(i).Child("name"), "variable %s is duplicated, and only the last value is used; remove the others", env.Name)
		}
		seen[env.Name] = true
	}
}
