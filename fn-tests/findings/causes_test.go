package findings

import (
	"regexp"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/previews"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/check"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
)

// wholes are paths of objects of which several things can be wrong independently: the graph, a component, a pod, a container.
var wholes = regexp.MustCompile(`^(|spec|metadata|spec\.(services|components)(\[[^\]]+\])?(\.podTemplate|\.podTemplate\.spec|\.extraPodSpec)?(\.mainContainer|\.(init)?[cC]ontainers\[[^\]]+\])?)$`)

// severalCauses are fields of which several things are wrong at once, by manifest.
var severalCauses = map[string]string{
	"everything/refused-units":   "Several parts of a unit are wrong.",
	"grove-kai/refused-roles":    "Roles with pods of their own need a newer release, and one of them is missing.",
	"deployment/warned-answers":  "Several variables of a container are wrong.",
	"deployment/warned-transfer": "A policy needs newer workers, and labels that nobody sets.",
}

// TestOneFindingForOneCause shows that no field of a manifest of the corpus gets two findings, and that what is refused gets no warning, nor anything in
// it, nor the object that it is in.
func TestOneFindingForOneCause(t *testing.T) {
	checkers := map[string]*check.Checker{}
	for _, m := range corpus.Manifests(t) {
		if checkers[m.Platform.Name] == nil {
			checkers[m.Platform.Name] = &check.Checker{Previewer: previews.On(t, m.Platform)}
		}
		t.Run(m.Name, func(t *testing.T) {
			files, err := manifest.Reader{}.Read([]string{m.Path})
			if err != nil {
				t.Fatal(err)
			}
			report, err := checkers[m.Platform.Name].Check(t.Context(), files)
			if err != nil {
				t.Fatal(err)
			}
			for i := range report.Findings {
				for j := range report.Findings {
					f, other := &report.Findings[i], &report.Findings[j]
					rest, within := strings.CutPrefix(other.Field, f.Field)
					within = within && (rest == "" || rest[0] == '.' || rest[0] == '[')
					twice := i < j && rest == "" || rest != "" && f.Severity != other.Severity
					if i != j && within && twice && !wholes.MatchString(f.Field) && severalCauses[m.Name] == "" {
						t.Errorf("two findings for one cause:\n%s %s\n%s %s", f.Code, f.Text(), other.Code, other.Text())
					}
				}
			}
		})
	}
}
