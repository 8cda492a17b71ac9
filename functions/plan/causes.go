package plan

import (
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// sayOnce what is wrong. The following only repeat a refusal, or do not matter as long as there is one:
//
//   - all that is about a component of a type that cannot run
//   - the same words about the same field, and that a name is not to be found in the cluster, or must not change, if it can be none
//   - warnings about a field that is refused, about something in it, and about the object that it is in
func (d *decision) sayOnce() {
	unsupported := unsupportedIn(d.Refusals)
	d.Warnings = slices.DeleteFunc(d.Warnings, func(m *message.Message) bool {
		return unsupported.contain(m) || slices.ContainsFunc(d.Refusals, func(r subject.Refusal) bool { return isOfOneField(r.Field, m.Field) })
	})
	said := map[[2]string]bool{}
	mistaken := map[string]bool{}
	for _, r := range d.Refusals {
		mistaken[r.Field] = mistaken[r.Field] || r.Kind == subject.Mistake && r.Problem == field.ErrorTypeInvalid && !isWhole.MatchString(r.Field)
	}
	d.Refusals = slices.DeleteFunc(d.Refusals, func(r subject.Refusal) bool {
		words := [2]string{r.Field, r.Detail.String()}
		repeats := said[words] || r.Kind != subject.Mistake && mistaken[r.Field]
		said[words] = true
		return repeats || unsupported.contain(r.Message)
	})
}

// unsupported are the paths of components whose type cannot run.
type unsupported []string

func unsupportedIn(refusals []subject.Refusal) unsupported {
	var all unsupported
	for _, r := range refusals {
		if component, ok := strings.CutSuffix(r.Field, ".type"); ok && r.Problem == field.ErrorTypeForbidden {
			all = append(all, component)
		}
	}
	return all
}

// contain reports whether a message is about one of the components, and not about its type.
func (u unsupported) contain(m *message.Message) bool {
	return slices.ContainsFunc(u, func(component string) bool { return isIn(m.Field, component) && m.Field != component+".type" })
}

// isWhole matches the paths of objects about which several things can be wrong at once: a graph, its components, their pods and containers.
var isWhole = regexp.MustCompile(
	`^(?:|metadata|spec|spec\.components(?:\[[^\]]*\](?:\.podTemplate(?:\.spec(?:\.(?:initContainers|containers)\[[^\]]*\])?)?)?)?)$`)

// isOfOneField reports whether a warning is about a field that is refused, about something in it, or about the object that it is in.
func isOfOneField(refused, warned string) bool {
	return isIn(warned, refused) && !isWhole.MatchString(refused) || isIn(refused, warned) && !isWhole.MatchString(warned)
}

// isIn reports whether a path is that of an object, or of something in it.
func isIn(path, object string) bool {
	rest, ok := strings.CutPrefix(path, object)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
