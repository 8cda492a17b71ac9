//go:build !linux

package fuzz

import "time"

// processorTime of a thread is not known on this system.
func processorTime() time.Duration { return 0 }

// processTime of a process is not known on this system.
func processTime() time.Duration { return 0 }
