package structs

import (
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// Size of what Of returns for an object, in bytes on the wire, without the field with a name. It is computed from the JSON of the object,
// because the protobuf values of a large graph take many times the memory of their encoding.
func Size(object any, without string) (int, error) {
	text, err := encode(object)
	if err != nil {
		return 0, err
	}
	return (&sizer{reader{text: text}}).object(without), nil
}

const (
	// tagSize of a field. All messages here have so few fields that a byte is enough.
	tagSize = 1
	// literalSize of a boolean and of null, numberSize of a number.
	literalSize = tagSize + 1
	numberSize  = tagSize + 8
)

// FieldSize of a field of a message with this many bytes, if the message has so few fields that its tag is a byte.
func FieldSize(bytes int) int { return tagSize + protowire.SizeBytes(bytes) }

// A sizer computes the encoded size of the protobuf values that a reader would return for the same text.
type sizer struct{ reader }

// value at the current position. null says that it is null.
func (s *sizer) value() (size int, null bool) {
	switch s.text[s.index] {
	case '{':
		return FieldSize(s.object("")), false
	case '[':
		return FieldSize(s.list()), false
	case '"':
		return FieldSize(s.str()), false
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
	s.index++
	for s.text[s.index] != '}' {
		if s.text[s.index] == ',' {
			s.index++
		}
		begin := s.index
		key := s.str()
		isWithout := without != "" && s.text[begin+1:s.index-1] == without
		s.index++
		if value, null := s.value(); !null && !isWithout {
			size += FieldSize(FieldSize(key) + FieldSize(value))
		}
	}
	s.index++
	return size
}

func (s *sizer) list() int {
	size := 0
	s.index++
	for s.text[s.index] != ']' {
		if s.text[s.index] == ',' {
			s.index++
		}
		value, _ := s.value()
		size += FieldSize(value)
	}
	s.index++
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
