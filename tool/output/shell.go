package output

import "al.essio.dev/pkg/shellescape"

// Shell has words as they are typed into a shell: in single quotes if it would act on a character of them, also on the exclamation mark of an
// interactive one. Whatever comes from a cluster or a file, and is part of a command for a person, goes through it.
func Shell(words ...string) string { return shellescape.QuoteCommand(words) }
