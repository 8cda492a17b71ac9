package condition

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

// Limits of a message. Longer messages are not read, and Crossplane stores each twice, because its own condition contains it too.
const (
	// maxMessages that are joined.
	maxMessages = 60
	// maxLength of one of them, in bytes.
	maxLength = 1024
	// maxTotal of all of them. Kubernetes accepts conditions of up to 32 KiB.
	maxTotal = 24 << 10
)

// Lines are messages, one on each line, that fit into a condition, a result or an event.
func Lines(messages []string) string { return strings.Join(Shorten(messages), "\n") }

// Join messages in one line that fits into a condition, a result or an event.
func Join(messages []string) string { return strings.Join(Shorten(messages), "; ") }

// Shorten a list of messages, and the messages, so that they fit into a condition, a result or an event. The last message contains the
// number of those that are left out.
func Shorten(messages []string) []string {
	var shortened []string
	total := 0
	for i, message := range messages {
		message = cut(strict.OneLine(strict.Visible(message)))
		total += len(message)
		if i == maxMessages || total > maxTotal {
			return append(shortened, fmt.Sprintf("and %d more", len(messages)-i))
		}
		shortened = append(shortened, message)
	}
	return shortened
}

// cut the middle out of a long message: its beginning contains the error, and its end the remedy.
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
