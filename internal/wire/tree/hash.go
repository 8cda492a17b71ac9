package tree

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
)

// Hash of an object in hexadecimal digits. Equal objects have the same hash, whatever the order of their fields in memory. Hashes are
// stored in clusters: that of an object must never change.
func Hash(object *structpb.Struct) string {
	h := hasher{sum: sha256.New(), buffer: make([]byte, 0, 2*bufferSize)}
	h.object(object)
	h.flush()
	return hex.EncodeToString(h.sum.Sum(nil))
}

// bufferSize is how many bytes are hashed at once, and possibly a text more.
const bufferSize = 512

// hasher writes the values to be hashed into a buffer. Each value begins with its kind, and values of variable length with their length,
// so different values never have the same bytes.
type hasher struct {
	sum    hash.Hash
	buffer []byte

	// keys of the objects around the current value, in one slice.
	keys []string
}

// Kinds of values.
const (
	kindNull   = 'n'
	kindBool   = 'b'
	kindNumber = 'd'
	kindText   = 's'
	kindList   = '['
	kindObject = '{'
)

func (h *hasher) object(object *structpb.Struct) {
	h.begin(kindObject, len(object.GetFields()))
	first := len(h.keys)
	for key := range object.GetFields() {
		h.keys = append(h.keys, key)
	}
	slices.Sort(h.keys[first:])
	for i := first; i < first+len(object.GetFields()); i++ {
		key := h.keys[i]
		h.addText(key)
		h.value(object.GetFields()[key])
	}
	h.keys = h.keys[:first]
}

func (h *hasher) value(value *structpb.Value) {
	switch v := value.GetKind().(type) {
	case *structpb.Value_StructValue:
		h.object(v.StructValue)
	case *structpb.Value_ListValue:
		h.begin(kindList, len(v.ListValue.GetValues()))
		for _, element := range v.ListValue.GetValues() {
			h.value(element)
		}
	case *structpb.Value_StringValue:
		h.addText(v.StringValue)
	case *structpb.Value_NumberValue:
		// A negative zero is equal to zero.
		h.buffer = binary.BigEndian.AppendUint64(append(h.buffer, kindNumber), math.Float64bits(v.NumberValue+0))
	case *structpb.Value_BoolValue:
		length := 0
		if v.BoolValue {
			length = 1
		}
		h.begin(kindBool, length)
	default:
		h.buffer = append(h.buffer, kindNull)
	}
}

func (h *hasher) addText(text string) {
	h.begin(kindText, len(text))
	if h.buffer = append(h.buffer, text...); len(h.buffer) >= bufferSize {
		h.flush()
	}
}

// flush the buffer into the sum.
func (h *hasher) flush() {
	_, _ = h.sum.Write(h.buffer) // It never fails.
	h.buffer = h.buffer[:0]
}

func (h *hasher) begin(kind byte, length int) {
	h.buffer = binary.AppendUvarint(append(h.buffer, kind), uint64(length)) //nolint:gosec // A length is not negative.
}
