package desired

import (
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/resource"
)

// Size of an object in the desired state of a response, in bytes. It is computed from the JSON of the object, because the protobuf values
// of a large graph take many times the memory of their encoding.
func Size(key resource.Name, object any) (int, error) {
	text, err := encode(object)
	if err != nil {
		return 0, errors.Wrapf(err, "cannot encode composed resource %s", key)
	}
	inResource := fieldSize((&sizer{reader{text: text}}).object("status")) + readySize
	return fieldSize(fieldSize(len(key)) + fieldSize(inResource)), nil
}

const (
	// tagSize of a field. All messages here have so few fields that a byte is enough.
	tagSize = 1
	// readySize of the readiness of a resource.
	readySize = tagSize + 1
	// literalSize of a boolean and of null, numberSize of a number.
	literalSize = tagSize + 1
	numberSize  = tagSize + 8
)

// fieldSize of a field with this many bytes.
func fieldSize(bytes int) int { return tagSize + protowire.SizeBytes(bytes) }

// A sizer computes the encoded size of the protobuf values that a reader would return for the same text.
type sizer struct{ reader }

// value at the current position. null says that it is null.
func (s *sizer) value() (size int, null bool) {
	switch s.text[s.at] {
	case '{':
		return fieldSize(s.object("")), false
	case '[':
		return fieldSize(s.list()), false
	case '"':
		return fieldSize(s.str()), false
	}
	switch word := s.word(); word[0] {
	case 'n':
		return literalSize, true
	case 't', 'f':
		return literalSize, false
	default:
		return numberSize, false
	}
}

// object at the current position, without the field with this name.
func (s *sizer) object(without string) int {
	size := 0
	s.at++
	for s.text[s.at] != '}' {
		if s.text[s.at] == ',' {
			s.at++
		}
		begin := s.at
		key := s.str()
		isWithout := without != "" && s.text[begin+1:s.at-1] == without
		s.at++
		if value, null := s.value(); !null && !isWithout {
			size += fieldSize(fieldSize(key) + fieldSize(value))
		}
	}
	s.at++
	return size
}

func (s *sizer) list() int {
	size := 0
	s.at++
	for s.text[s.at] != ']' {
		if s.text[s.at] == ',' {
			s.at++
		}
		value, _ := s.value()
		size += fieldSize(value)
	}
	s.at++
	return size
}

// str is the number of bytes of the string at the current position.
func (s *sizer) str() int {
	text, escaped := s.quoted()
	if !escaped {
		return len(text)
	}
	size := 0
	for i := 0; i < len(text); i++ {
		size++
		if text[i] != '\\' {
			continue
		}
		i++
		if text[i] == 'u' {
			size += utf8.RuneLen(hexRune(text[i+1:i+5])) - 1
			i += 4
		}
	}
	return size
}

// hexRune of four hexadecimal digits. encoding/json escapes no rune that needs more.
func hexRune(digits string) rune {
	var r rune
	for _, digit := range []byte(digits) {
		r <<= 4
		switch {
		case digit >= 'a':
			r += rune(digit-'a') + 10
		default:
			r += rune(digit - '0')
		}
	}
	return r
}
