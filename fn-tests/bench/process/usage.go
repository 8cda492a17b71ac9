package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of CPU times in /proc: Linux counts them in hundredths of a second on every architecture that Go has.
// https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
const tick = time.Second / 100

// Usage of a process.
type Usage struct {
	// CPU time, in user mode and in the kernel.
	CPU time.Duration
	// RSS is the memory that is resident now, and PeakRSS the most that ever was, in bytes.
	RSS, PeakRSS int64
	// Anonymous part of RSS, in bytes: without the pages of the program's file, which processes on one node share.
	Anonymous int64
}

// usageOf a process.
func usageOf(pid int) (Usage, error) {
	folder := filepath.Join("/proc", strconv.Itoa(pid))
	stat, err := os.ReadFile(filepath.Join(folder, "stat"))
	if err != nil {
		return Usage{}, fmt.Errorf("cannot read the CPU time of a process: %w", err)
	}
	status, err := os.ReadFile(filepath.Join(folder, "status"))
	if err != nil {
		return Usage{}, fmt.Errorf("cannot read the memory of a process: %w", err)
	}
	return parse(string(stat), string(status))
}

// parse the files stat and status of a process.
func parse(stat, status string) (Usage, error) {
	out := Usage{}
	// The name of the program is in parentheses and may hold anything, so fields are counted from behind it: it is the
	// second, and the times are the 14th and 15th.
	_, behind, _ := strings.Cut(stat[strings.LastIndex(stat, ")")+1:], " ")
	fields := strings.Fields(behind)
	if len(fields) < 13 {
		return out, fmt.Errorf("cannot read the CPU time of a process: %q", stat)
	}
	for _, field := range fields[11:13] {
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return out, fmt.Errorf("cannot read the CPU time of a process: %w", err)
		}
		out.CPU += time.Duration(ticks) * tick
	}
	for field, value := range map[string]*int64{"VmRSS": &out.RSS, "VmHWM": &out.PeakRSS, "RssAnon": &out.Anonymous} {
		bytes, err := sizeIn(status, field)
		if err != nil {
			return out, err
		}
		*value = bytes
	}
	return out, nil
}

// sizeIn the file status, in bytes.
func sizeIn(status, field string) (int64, error) {
	for line := range strings.Lines(status) {
		text, found := strings.CutPrefix(line, field+":")
		if !found {
			continue
		}
		kilobytes, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "kB")), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("cannot read %s of a process: %w", field, err)
		}
		return kilobytes << 10, nil
	}
	return 0, fmt.Errorf("cannot read %s of a process: there is none", field)
}
