package main

import "fmt"

const (
	// exitRefused says that something is wrong with what was given.
	exitRefused = 1
	// exitUsage says that the command cannot do what it is asked to.
	exitUsage = 2
	// exitWarnings says that a command that was told to be strict has warned.
	exitWarnings = 3
)

// exitError ends the program with a status, after a command has already said why.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// usageError says that the command cannot do what it is asked to, regardless of what is in the graphs.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }
