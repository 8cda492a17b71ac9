package strict

import (
	"strings"
	"testing"
)

func TestNear(t *testing.T) {
	known := []string{"decode", "frontend", "planner", "vllm-distributed-executor-backend", "models-1"}
	cases := map[string]struct {
		reason string
		word   string
		want   string
	}{
		"Known":     {reason: "A known word is meant as it is.", word: "decode"},
		"Missing":   {reason: "A word that lacks a character is recognized.", word: "decod", want: "decode"},
		"Swapped":   {reason: "A word with two neighbouring characters swapped is recognized.", word: "frontned", want: "frontend"},
		"More":      {reason: "A word with a character too many is recognized.", word: "planners", want: "planner"},
		"Case":      {reason: "A word that differs only in case is recognized.", word: "Planner", want: "planner"},
		"Long":      {reason: "A long word may differ in more characters.", word: "vllm-distribute-executer-backends", want: "vllm-distributed-executor-backend"},
		"Other":     {reason: "A word of its own may resemble a known one.", word: "encode"},
		"Numbers":   {reason: "What differs in numbers only differs on purpose.", word: "models-2"},
		"FarLonger": {reason: "A word that is no longer shown is not compared.", word: "decode" + strings.Repeat("e", maxShown)},
		"Empty":     {reason: "No word was meant to be nothing."},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Near(tc.word, known); got != tc.want {
				t.Errorf("%s\nNear(%q, ...): want %q, got %q", tc.reason, tc.word, tc.want, got)
			}
		})
	}
}

// TestGuesses shows that many words are not compared with many others.
func TestGuesses(t *testing.T) {
	long := make([]string, maxComparisons/2)
	for i := range long {
		long[i] = "decode"
	}
	guesses := GuessesOf(long)
	for i, want := range []string{"decode", "decode", "", ""} {
		if got := guesses.Near("decod"); got != want {
			t.Errorf("Near(...), word %d: want %q, got %q", i+1, want, got)
		}
	}
}

func TestSome(t *testing.T) {
	for want, words := range map[string][]string{
		"":     nil,
		"a, b": {"a", "b"},
		"1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more": {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"},
		"line?end": {"line\nend"},
	} {
		if got := Some(words); got != want {
			t.Errorf("Some(%q): want %q, got %q", words, want, got)
		}
	}
}
