package backend

import "strings"

// readsParameters reports whether a script reads its parameters: $1, ${2}, $@, $*, $#, and commands that change or pass them. $0 is the name
// of the script.
func readsParameters(script string) bool {
	for _, word := range []string{"shift", "getopts", "BASH_ARGV"} {
		if anyAfter(script, word, func(before, after string) bool { return !endsInWord(before) && !beginsWithWord(after) }) {
			return true
		}
	}
	return anyAfter(script, "$", func(_, after string) bool { return namesParameter(after) }) ||
		anyAfter(script, "for ", func(before, after string) bool { return !endsInWord(before) && isLoopOverParameters(after) })
}

// anyAfter reports whether a condition holds for the text before and after any place of a word.
func anyAfter(script, word string, holds func(before, after string) bool) bool {
	for from := 0; ; {
		next := strings.Index(script[from:], word)
		if next < 0 {
			return false
		}
		before := script[:from+next]
		from += next + len(word)
		if holds(before, script[from:]) {
			return true
		}
	}
}

func endsInWord(text string) bool     { return text != "" && isWordByte(text[len(text)-1]) }
func beginsWithWord(text string) bool { return text != "" && isWordByte(text[0]) }

// namesParameter reports whether the text after a dollar sign is a parameter, its length as in ${#1}, or what it names as in ${!1}.
func namesParameter(text string) bool {
	text = strings.TrimPrefix(strings.TrimPrefix(text, "{"), "!")
	return text != "" && strings.IndexByte("@*#123456789", text[0]) >= 0
}

// isLoopOverParameters reports whether a loop has a name, but no words: for name; do. It is over all parameters then.
func isLoopOverParameters(text string) bool {
	end := 0
	for end < len(text) && isWordByte(text[end]) {
		end++
	}
	if end == 0 || isDigit(text[0]) {
		return false
	}
	text = text[end:]
	if semicolon, ok := strings.CutPrefix(text, ";"); ok {
		text = semicolon
	} else if text, ok = strings.CutPrefix(strings.TrimLeft(text, " \t"), "\n"); !ok {
		return false
	}
	rest, ok := strings.CutPrefix(strings.TrimLeft(text, " \t"), "do")
	return ok && !beginsWithWord(rest)
}
