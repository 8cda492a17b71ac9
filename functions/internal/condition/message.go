package condition

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Bounds of what is said at once. Nobody reads more, and Crossplane stores it twice: in its own condition, too.
const (
	// maxMessages that are joined to one.
	maxMessages = 60
	// maxLength of one of them, in bytes.
	maxLength = 1024
	// maxTotal of all of them. Kubernetes takes conditions of up to 32 KiB.
	maxTotal = 24 << 10
)

// Join messages to one that a condition, a result or an event can hold.
func Join(messages []string) string { return strings.Join(Shorten(messages), "; ") }

// Shorten a list of messages, and the messages, to what a condition, a result or an event can hold. The last one counts
// those that are left out.
func Shorten(messages []string) []string {
	var kept []string
	total := 0
	for i, message := range messages {
		message = cut(message)
		total += len(message)
		if i == maxMessages || total > maxTotal {
			return append(kept, fmt.Sprintf("and %d more", len(messages)-i))
		}
		kept = append(kept, message)
	}
	return kept
}

// cut the middle out of a long message: it begins with what is wrong and ends with what to do about it.
func cut(message string) string {
	if len(message) <= maxLength {
		return message
	}
	head, tail := maxLength/2, len(message)-maxLength/2
	for !utf8.RuneStart(message[head]) {
		head--
	}
	for tail < len(message) && !utf8.RuneStart(message[tail]) {
		tail++
	}
	return message[:head] + " ... " + message[tail:]
}
