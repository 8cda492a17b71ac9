// Package written hashes what the user of a graph has written for the pods of each component. As long as the hash of a component is
// the same, its user has not changed its pods, whatever the rules of this project, the input of the platform and the cluster
// say now.
package written

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

// A Format of what is hashed. Hashes are stored in clusters. If what is hashed of graphs that may run changes, all of their pods would be replaced
// when the release is installed, and again when the one before is. So it only changes in a new format: a release stores the hashes of all its
// formats side by side, and compares two graphs by the newest format that both have.
//
// A field that is added and left out where it says nothing does not change the hashes of graphs without it. If earlier releases refuse graphs with
// it, because they do not know the field of the API either, it needs no new format.
type Format struct {
	// Number of the format. It is part of each hash, so that no hash of another format is ever equal.
	Number int

	// Lacks are the fields of a component that only other formats have. A field whose meaning changes gets another name.
	Lacks []string

	// For is a field of a component. A component without it has no hash of this format, because the formats before say the same of it, and tell
	// it from a component that has the field. Empty if all components have the format.
	For string
}

// Formats that a release knows, the oldest first.
type Formats []Format

// Current are the formats of this release. In the second one, the variables of the graph are among those of a frontend sidecar, which it has got
// since. In the third one, the pods of an Endpoint Picker have a hash of its configuration.
func Current() Formats {
	return Formats{
		{Number: 1, Lacks: []string{"frontend", "eppConfigContent"}},
		{Number: 2, Lacks: []string{"sidecar", "eppConfigContent"}, For: "frontend"},
		{Number: 3, Lacks: []string{"sidecar"}, For: "eppConfigContent"},
	}
}

// length of a hash in bytes; it is written in twice as many hexadecimal digits.
const length = 8

// room is how many bytes there are for a component before more memory is asked for.
const room = 4 << 10

// Hash of what the user has written for the pods of each component, by component. Some requests take effect later than they are made:
// a restart, which reaches one component after the other, and a queue, which must exist first. Of those the hash has what the plan
// has decided, so that it changes when the pods do. Nothing else that the plan decides is part of it.
func (f Formats) Hash(g *graph.Graph, p *graphplan.Plan) (map[string]graphplan.Written, error) {
	return f.hash(writer{graph: g, plan: p}, g.ComponentNames())
}

// HashOf is Hash of some components.
func (f Formats) HashOf(g *graph.Graph, p *graphplan.Plan, components []string) (map[string]graphplan.Written, error) {
	return f.hash(writer{graph: g, plan: p}, components)
}

// HashAt is Hash of some components as if each had been restarted last with the id in restarts. Empty, or no entry: it never was.
func (f Formats) HashAt(g *graph.Graph, p *graphplan.Plan, components []string, restarts map[string]string) (map[string]graphplan.Written, error) {
	return f.hash(writer{graph: g, plan: p, restarts: restarts, restarted: true}, components)
}

// hash some components in all formats.
func (f Formats) hash(w writer, components []string) (map[string]graphplan.Written, error) {
	all := make(map[string]graphplan.Written, len(components))
	// One of each for all components: a component is large.
	whole, c, buffer := new(component), new(component), make([]byte, 0, room)
	for _, name := range components {
		*whole = w.component(name)
		hashes := make(map[int]string, len(f))
		for _, format := range f {
			if format.For != "" && whole.field(format.For).IsZero() {
				continue
			}
			*c = *whole
			format.strip(c)
			var err error
			if buffer, err = strict.AppendCanonical(buffer[:0], c); err != nil {
				return nil, errors.Wrapf(err, "cannot hash what is written for component %s", name)
			}
			sum := sha256.Sum256(buffer)
			hashes[format.Number] = hex.EncodeToString(sum[:length])
		}
		all[name] = graphplan.WrittenIn(hashes)
	}
	return all, nil
}

// strip a component of what the format lacks.
func (f Format) strip(c *component) {
	c.Format = f.Number
	if len(f.Lacks) == 0 {
		return
	}
	for _, name := range f.Lacks {
		if field := c.field(name); field.IsValid() {
			field.SetZero()
		}
	}
}

// field of the component by its name in the format. The value is invalid if there is no such field.
func (c *component) field(name string) reflect.Value {
	value := reflect.ValueOf(c).Elem()
	for i := range value.NumField() {
		if own, _, _ := strings.Cut(value.Type().Field(i).Tag.Get("json"), ","); own == name {
			return value.Field(i)
		}
	}
	return reflect.Value{}
}
