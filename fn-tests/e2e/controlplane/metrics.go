package controlplane

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// Reconciles is how often Crossplane has reconciled composite resources since it was started.
func (c *ControlPlane) Reconciles(ctx context.Context) (int, error) {
	data, err := fetch(ctx, http.DefaultClient, "http://"+address(c.metrics)+"/metrics", "text/plain")
	if err != nil {
		return 0, err
	}
	total := 0.0
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), "} ")
		if !strings.HasPrefix(name, "controller_runtime_reconcile_total{") || !strings.Contains(name, `controller="composite/`) {
			continue
		}
		count, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return 0, fmt.Errorf("cannot read a metric: %w", err)
		}
		total += count
	}
	return int(total), nil
}

// Usage of a process.
type Usage struct {
	// CPU time of user and system.
	CPU time.Duration
	// RSS and PeakRSS in bytes.
	RSS, PeakRSS int64
}

// clockTick is the unit of CPU times in /proc: USER_HZ, 100 on every architecture of Linux that Go runs on.
const clockTick = time.Second / 100

// Usage of the process until now.
func (p *Process) Usage() (Usage, error) {
	folder := "/proc/" + strconv.Itoa(p.PID())
	stat, err := os.ReadFile(folder + "/stat")
	if err != nil {
		return Usage{}, fmt.Errorf("cannot read the usage of %s: %w", p.Name, err)
	}
	// The fields begin behind the name of the program, which may hold spaces. See proc_pid_stat(5).
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	const utime, stime = 11, 12
	if len(fields) <= stime {
		return Usage{}, fmt.Errorf("cannot read the usage of %s: %s", p.Name, stat)
	}
	var usage Usage
	for _, field := range fields[utime : stime+1] {
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return Usage{}, fmt.Errorf("cannot read the CPU time of %s: %w", p.Name, err)
		}
		usage.CPU += time.Duration(ticks) * clockTick
	}
	status, err := os.ReadFile(folder + "/status")
	if err != nil {
		return Usage{}, fmt.Errorf("cannot read the usage of %s: %w", p.Name, err)
	}
	sizes := map[string]*int64{"VmRSS": &usage.RSS, "VmHWM": &usage.PeakRSS}
	for line := range strings.Lines(string(status)) {
		field, value, _ := strings.Cut(line, ":")
		size, found := sizes[field]
		if !found {
			continue
		}
		kilobytes, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
		if err != nil {
			return Usage{}, fmt.Errorf("cannot read the memory of %s: %w", p.Name, err)
		}
		*size = kilobytes << 10
	}
	return usage, nil
}
