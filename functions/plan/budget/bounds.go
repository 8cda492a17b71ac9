package budget

import (
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Limits of what is decoded at all. No graph that a cluster can run is close to them, and to decode and check larger input would take
// memory and time from all other graphs.
const (
	// maxComponents that are compared with each other. A graph may have fewer. With a few more it is refused with all of its errors.
	maxComponents = 4 * validate.MaxComponents
	// maxEntries of one list or object.
	maxEntries = 10_000
	// maxValues of a graph in total. Values that every component gets are counted for each component. Encoded, they are larger than what etcd
	// stores for one object.
	maxValues = 100_000
	// maxLevels of nesting. A pod template has about 15.
	maxLevels = 64
	// maxText is the length of a text in bytes: no annotation may be longer, and Linux accepts half of it for an argument.
	maxText = 256 << 10
	// maxKey is the length of a key in bytes. The longest key that Kubernetes accepts has 317.
	maxKey = 1024
)

// Decodable refuses a composite resource that is too large to decode, without allocating memory for it.
func Decodable(xr *structpb.Struct) message.List {
	services := len(tree.At(xr, "spec", "services").GetFields())
	if services > maxComponents {
		return message.OfErrors(field.ErrorList{field.TooMany(field.NewPath("spec", "services"), services, validate.MaxComponents)})
	}
	components := len(tree.At(xr, "spec").GetFields()["components"].GetListValue().GetValues())
	if components > maxComponents {
		return message.OfErrors(field.ErrorList{field.TooMany(field.NewPath("spec", "components"), components, validate.MaxComponents)})
	}
	b := &bounds{}
	b.enter("metadata", false)
	b.entry("annotations", false, xr.GetFields()["metadata"].GetStructValue().GetFields()["annotations"])
	b.leave()
	b.enter("spec", false)
	for key, value := range tree.At(xr, "spec").GetFields() {
		switch key {
		case "crossplane", "resourceRefs": // Crossplane's own, which grow with the number of composed resources.
		case "annotations", "env", "envs", "labels":
			others := b.values
			b.entry(key, false, value)
			b.values = others + (b.values-others)*max(1, services, components)
		default:
			b.entry(key, false, value)
		}
	}
	if b.values > maxValues {
		b.errs = field.ErrorList{field.Invalid(b.shortPath(), field.OmitValueType{}, fmt.Sprintf("must have at most %d values, where annotations, labels and environment variables of the graph count once for each service; shorten its lists", maxValues))}
	}
	return message.OfErrors(b.errs).Bounded(b.shortPath(), message.Components{})
}

// bounds walks a tree and counts its values.
type bounds struct {
	path   []segment
	values int
	errs   field.ErrorList
}

// segment of a path: the index of an item, or a key, which is in brackets if the user has chosen it.
type segment struct {
	item  bool
	index int
	key   string
	keyed bool
}

func (b *bounds) enter(key string, keyed bool) {
	b.path = append(b.path, segment{key: key, keyed: keyed})
}

func (b *bounds) leave() { b.path = b.path[:len(b.path)-1] }

// entry of an object.
func (b *bounds) entry(key string, keyed bool, value *structpb.Value) {
	b.enter(key, keyed)
	if len(key) > maxKey {
		b.refuse(fmt.Sprintf("the key has %d characters, but must have at most %d; shorten it", len(key), maxKey))
	} else {
		b.value(value)
	}
	b.leave()
}

// value and everything below it. Values that are too large are not visited.
func (b *bounds) value(value *structpb.Value) {
	b.values++
	object, list := value.GetStructValue().GetFields(), value.GetListValue().GetValues()
	entries := max(len(object), len(list))
	switch {
	case b.values > maxValues:
	case len(value.GetStringValue()) > maxText:
		b.refuse(fmt.Sprintf("has %d characters, but must have at most %d; shorten it, or let pods mount a long text from a ConfigMap", len(value.GetStringValue()), maxText))
	case entries > maxEntries:
		b.refuse(fmt.Sprintf("has %d entries, but must have at most %d; shorten it", entries, maxEntries))
	case len(b.path) > maxLevels:
		b.refuse(fmt.Sprintf("is nested more than %d levels deep; flatten it", maxLevels))
	default:
		// Of the maps whose keys the user chooses, only this one has nested values.
		keyed := len(b.path) == 2 && b.path[1].key == "services"
		for key, child := range object {
			b.entry(key, keyed, child)
		}
		for i, child := range list {
			b.path = append(b.path, segment{item: true, index: i})
			b.value(child)
			b.leave()
		}
	}
}

func (b *bounds) refuse(detail string) {
	b.errs = append(b.errs, field.Invalid(b.shortPath(), field.OmitValueType{}, detail))
}

// shownLevels of a path are enough to find the value.
const shownLevels = 12

// shortPath is the path, shortened.
func (b *bounds) shortPath() *field.Path {
	path := field.NewPath(b.path[0].key)
	for i, s := range b.path[1:] {
		switch {
		case i == shownLevels:
			return path.Key("...")
		case s.item:
			path = path.Index(s.index)
		case s.keyed:
			path = path.Key(strict.Printable(s.key))
		default:
			path = path.Child(strict.Printable(s.key))
		}
	}
	return path
}
