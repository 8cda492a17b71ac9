// Package managed reads the managers of the fields of an object. They are half of a request, in very small messages, and are rarely needed,
// so they are only decoded on demand.
package managed

import (
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

const key = "managedFields"

// deferred is the field number of an entry of a Struct that is not decoded, instead of that of its fields. Struct has no field with this
// number, so protobuf keeps the entry in its encoded form. The tags of both numbers have one byte.
const deferred protowire.Number = 15

// Fields are the entries of managedFields of an object, whether they are decoded or not.
func Fields(object *structpb.Struct) []*structpb.Value {
	metadata := tree.At(object, "metadata")
	if decoded, ok := metadata.GetFields()[key]; ok {
		return decoded.GetListValue().GetValues()
	}
	unknown := metadata.ProtoReflect().GetUnknown()
	if len(unknown) == 0 {
		return nil
	}
	received := append([]byte{}, unknown...)
	each(received, deferred, func(tag, _ []byte) { retag(tag, fieldsOfStruct) })
	decoded := &structpb.Struct{}
	if err := proto.Unmarshal(received, decoded); err != nil {
		return nil
	}
	return decoded.GetFields()[key].GetListValue().GetValues()
}

// LastChange of an object by any manager of its fields. It is the zero time if there is none. The managed fields themselves, which are most
// of the data, are not decoded.
func LastChange(object *structpb.Struct) time.Time {
	var last time.Time
	see := func(written string) {
		if changed, err := time.Parse(time.RFC3339, written); err == nil && changed.After(last) {
			last = changed
		}
	}
	metadata := tree.At(object, "metadata")
	if decoded, ok := metadata.GetFields()[key]; ok {
		for _, entry := range decoded.GetListValue().GetValues() {
			see(tree.Text(entry.GetStructValue(), "time"))
		}
		return last
	}
	visitFields(metadata.ProtoReflect().GetUnknown(), func(entry []byte) {
		entries(entry, "time", func(_, value []byte) {
			each(value, stringOfValue, func(_, text []byte) { see(string(text)) })
		})
	}, deferred, valueOfEntry, listOfValue, valuesOfList, structOfValue)
	return last
}

// Field numbers of messages on the path from a request to the managed fields of an object, and of the parts of an entry of a map.
// https://github.com/crossplane/crossplane/blob/v2.4.0/proto/fn/v1/run_function.proto
const (
	observedOfRequest protowire.Number = 2
	extraOfRequest    protowire.Number = 6
	requiredOfRequest protowire.Number = 8
	compositeOfState  protowire.Number = 1
	resourcesOfState  protowire.Number = 2
	itemsOfResources  protowire.Number = 1
	objectOfResource  protowire.Number = 1
	fieldsOfStruct    protowire.Number = 1
	stringOfValue     protowire.Number = 3
	structOfValue     protowire.Number = 5
	listOfValue       protowire.Number = 6
	valuesOfList      protowire.Number = 1
	keyOfEntry        protowire.Number = 1
	valueOfEntry      protowire.Number = 2
)

// Defer the decoding of all managed fields in an encoded RunFunctionRequest, which is changed in place.
func Defer(request []byte) {
	each(request, observedOfRequest, func(_, state []byte) {
		each(state, compositeOfState, deferOf)
		each(state, resourcesOfState, func(_, entry []byte) { each(entry, valueOfEntry, deferOf) })
	})
	for _, number := range []protowire.Number{extraOfRequest, requiredOfRequest} {
		each(request, number, func(_, entry []byte) {
			each(entry, valueOfEntry, func(_, resources []byte) { each(resources, itemsOfResources, deferOf) })
		})
	}
}

// deferOf a Resource.
func deferOf(_, resource []byte) {
	each(resource, objectOfResource, func(_, object []byte) {
		entries(object, "metadata", func(_, value []byte) {
			each(value, structOfValue, func(_, metadata []byte) {
				entries(metadata, key, func(tag, _ []byte) { retag(tag, deferred) })
			})
		})
	})
}

// entries of an encoded Struct under a key, with their tags and their values.
func entries(object []byte, name string, visit func(tag, value []byte)) {
	each(object, fieldsOfStruct, func(tag, entry []byte) {
		named := false
		each(entry, keyOfEntry, func(_, text []byte) { named = string(text) == name })
		if named {
			each(entry, valueOfEntry, func(_, value []byte) { visit(tag, value) })
		}
	})
}

// each field with a number and a length in an encoded message, with its tag and its content. It ends at data that cannot be read, which the
// decoder refuses later.
func each(message []byte, number protowire.Number, visit func(tag, content []byte)) {
	for len(message) > 0 {
		n, kind, tagLength := protowire.ConsumeTag(message)
		if tagLength < 0 {
			return
		}
		length := protowire.ConsumeFieldValue(n, kind, message[tagLength:])
		if length < 0 {
			return
		}
		if n == number && kind == protowire.BytesType {
			content, _ := protowire.ConsumeBytes(message[tagLength:])
			visit(message[:tagLength], content)
		}
		message = message[tagLength+length:]
	}
}

// visitFields of an encoded message, at a path of numbers.
func visitFields(message []byte, visit func(content []byte), path ...protowire.Number) {
	each(message, path[0], func(_, content []byte) {
		if len(path) == 1 {
			visit(content)
			return
		}
		visitFields(content, visit, path[1:]...)
	})
}

// retag a field with another number whose tag is as long.
func retag(tag []byte, number protowire.Number) {
	copy(tag, protowire.AppendTag(nil, number, protowire.BytesType))
}
