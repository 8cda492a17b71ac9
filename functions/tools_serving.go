//go:build serving

package main

// toolCommands are left out of the packages of the functions.
type toolCommands struct{}
