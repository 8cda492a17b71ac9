package templates

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// header of a file of outlines.
const header = `# What manifests become. A line that is not indented names a manifest, the digest of its content and the platform that it is rendered
# for; git shows it above each change. Below it there is a line for each object: its kind, its name and its composition resource name,
# and for each role of its pods the role and the hash of what these pods depend on. Role (fixed) is what of the object cannot change.
`

// Outline of what a manifest becomes.
type Outline struct {
	// Manifest by its name, and Digest of what is in it.
	Manifest, Digest string
	// Platform that it is rendered for.
	Platform string
	// Rows of its objects. A manifest that is refused has none.
	Rows []Row
	// Messages are the mistakes because of which it is refused, or else warnings.
	Messages []string
}

// Row is one role of the pods of an object, or an object that has no pods and may change.
type Row struct {
	Kind, Name string
	// Key is the composition resource name.
	Key string
	// Role within the object: pods, leader or worker, the name of a clique, or fixed.
	Role string
	// Hash of what a controller compares to tell whether the pods of the role are to be replaced.
	Hash string
}

// String is the row as it is written.
func (r Row) String() string {
	return strings.TrimSpace(strings.Join([]string{r.Kind, r.Name, r.Key, r.Role, r.Hash}, " "))
}

// OutlineOf the composed objects of a manifest.
func OutlineOf(manifest, platform string, source *unstructured.Unstructured, composed []*unstructured.Unstructured) (Outline, error) {
	digest, err := hash(source.Object)
	if err != nil {
		return Outline{}, err
	}
	out := Outline{Manifest: manifest, Digest: digest[:8], Platform: platform}
	for _, object := range composed {
		row := Row{Kind: object.GetKind(), Name: object.GetName(), Key: harness.Key(object)}
		roles := rolesOf(object)
		if len(roles) == 0 {
			out.Rows = append(out.Rows, row)
		}
		for role, value := range roles {
			row.Role = role
			if row.Hash, err = hash(value); err != nil {
				return Outline{}, fmt.Errorf("%s: %w", row.Key, err)
			}
			out.Rows = append(out.Rows, row)
		}
	}
	slices.SortFunc(out.Rows, func(a, b Row) int { return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Role, b.Role)) })
	return out, nil
}

// WithPods is the outline without objects that neither have pods nor are immutable.
func (o *Outline) WithPods() Outline {
	out := *o
	out.Rows = slices.DeleteFunc(slices.Clone(o.Rows), func(r Row) bool { return r.Role == "" })
	return out
}

// title is the line above the rows of an outline.
func (o *Outline) title() string {
	return fmt.Sprintf("%s (%s) on %s", o.Manifest, o.Digest, o.Platform)
}

// Format outlines, sorted by manifest and platform.
func Format(outlines []Outline) string {
	var text strings.Builder
	text.WriteString(header)
	for _, o := range slices.SortedFunc(slices.Values(outlines), func(a, b Outline) int {
		return cmp.Or(strings.Compare(a.Manifest, b.Manifest), strings.Compare(a.Platform, b.Platform))
	}) {
		text.WriteString(o.title() + "\n")
		word := "warning"
		if len(o.Rows) == 0 {
			word = "refused"
		}
		for _, message := range o.Messages {
			fmt.Fprintf(&text, "  %s: %s\n", word, message)
		}
		for _, r := range o.Rows {
			fmt.Fprintf(&text, "  %s\n", r)
		}
	}
	return text.String()
}

var titled = regexp.MustCompile(`^(\S+) \((\w+)\) on (\S+)$`)

// Parse outlines that were written.
func Parse(text string) ([]Outline, error) {
	var outlines []Outline
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		indented, isRow := strings.CutPrefix(line, "  ")
		switch title := titled.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "#"):
		case title != nil:
			outlines = append(outlines, Outline{Manifest: title[1], Digest: title[2], Platform: title[3]})
		case !isRow || len(outlines) == 0:
			return nil, fmt.Errorf("want the title of an outline in line: %s", line)
		default:
			if err := outlines[len(outlines)-1].parse(indented); err != nil {
				return nil, err
			}
		}
	}
	return outlines, nil
}

// parse a line of the outline.
func (o *Outline) parse(line string) error {
	for _, word := range []string{"refused: ", "warning: "} {
		if message, ok := strings.CutPrefix(line, word); ok {
			o.Messages = append(o.Messages, message)
			return nil
		}
	}
	switch fields := strings.Fields(line); len(fields) {
	case 3:
		o.Rows = append(o.Rows, Row{Kind: fields[0], Name: fields[1], Key: fields[2]})
	case 5:
		o.Rows = append(o.Rows, Row{Kind: fields[0], Name: fields[1], Key: fields[2], Role: fields[3], Hash: fields[4]})
	default:
		return fmt.Errorf("want kind, name and key of an object, or those with role and hash, in line: %s", line)
	}
	return nil
}
