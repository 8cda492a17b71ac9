package process

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	stat := "4711 (a (name) 1 2) S 1 4711 4711 0 -1 4194560 1 2 3 4 250 50 7 8 20 0 9 0 100 1 2 3\n"
	status := "Name:\tfunctions\nVmPeak:\t  9 kB\nVmHWM:\t   20480 kB\nVmRSS:\t   10240 kB\nRssAnon:\t    4096 kB\n"
	cases := map[string]struct {
		reason       string
		stat, status string
		want         Usage
		err          string
	}{
		"Usage": {
			reason: "The name of a program may look like fields.",
			stat:   stat, status: status,
			want: Usage{CPU: 3 * time.Second, RSS: 10 << 20, PeakRSS: 20 << 20, Anonymous: 4 << 20},
		},
		"ShortStat": {reason: "A file of another form is not read.", stat: "4711 (a) S 1", status: status, err: "cannot read the CPU time"},
		"NoNumber":  {reason: "A time has to be a number.", stat: strings.Replace(stat, "250", "x", 1), status: status, err: "cannot read the CPU time"},
		"NoMemory":  {reason: "The kernel's threads have no memory.", stat: stat, status: "Name:\tkthreadd\n", err: "there is none"},
		"NoSize":    {reason: "A size has to be a number.", stat: stat, status: strings.ReplaceAll(status, " kB", " MB"), err: "of a process"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := parse(tc.stat, tc.status)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("%s\nparse(...): want error %q, got %v", tc.reason, tc.err, err)
				}
				return
			}
			if err != nil {
				t.Fatalf("%s\nparse(...): %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nparse(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestUsageOf(t *testing.T) {
	usage, err := usageOf(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if usage.RSS < 1<<20 || usage.PeakRSS < usage.RSS || usage.Anonymous > usage.RSS {
		t.Errorf("want the usage of this process, got %+v", usage)
	}
	if _, err := usageOf(-1); err == nil {
		t.Error("want an error for a process that there is not")
	}
}
