package fuzz

import (
	"time"

	"golang.org/x/sys/unix"
)

// processorTime that the thread has taken so far.
func processorTime() time.Duration { return clock(unix.CLOCK_THREAD_CPUTIME_ID) }

// processTime that the process has taken so far.
func processTime() time.Duration { return clock(unix.CLOCK_PROCESS_CPUTIME_ID) }

// clock is the time of a clock of the system. Unlike getrusage(2), which lags by up to a tick of the scheduler, it counts what has just run: a
// short measurement would otherwise be almost nothing now and then.
func clock(id int32) time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(id, &now); err != nil {
		return 0
	}
	return time.Duration(now.Nano())
}
