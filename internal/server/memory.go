package server

import (
	"io/fs"
	"math"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/crossplane/function-sdk-go/logging"
)

// Cgroups of a container, as it sees them itself.
const Cgroups = "/sys/fs/cgroup"

// headroom is the part of a container's memory that is left to what the Go
// runtime does not count: sockets, and pages of the binary.
const headroom = 10

// LimitMemory makes the garbage collector heed the limit of the container,
// whatever it is: by itself it lets the heap double before it collects, and the
// kernel ends the process meanwhile. GOMEMLIMIT in the environment wins.
//
// The limit is read here and not from a variable of the downward API, which can
// say the whole limit only, and which every platform that writes a runtime
// configuration of its own would have to repeat.
//
// It returns the limit that the garbage collector heeds, zero for none.
func LimitMemory(cgroups fs.FS, log logging.Logger) int64 {
	if given := debug.SetMemoryLimit(-1); given != math.MaxInt64 {
		return given
	}
	limit, ok := memoryLimit(cgroups)
	if !ok {
		return 0
	}
	soft := limit - limit/headroom
	debug.SetMemoryLimit(soft)
	log.Debug("Using the memory limit of the container", "limit", limit, "soft", soft)
	return soft
}

// memoryLimit of a container in bytes; false when it has none.
func memoryLimit(cgroups fs.FS) (int64, bool) {
	// Of cgroups v2 and v1.
	for _, name := range []string{"memory.max", "memory/memory.limit_in_bytes"} {
		data, err := fs.ReadFile(cgroups, name)
		if err != nil {
			continue
		}
		limit, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
		// No limit is the word max, or a number beyond all memory.
		return limit, err == nil && limit > 0 && limit < 1<<60
	}
	return 0, false
}
