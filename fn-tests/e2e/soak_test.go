package e2e

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

const (
	// soakSamples are how often the memory is looked at.
	soakSamples = 12
	// soakPause is the maximum time between two kills for each graph. After a kill, Crossplane reconciles all graphs, about ten in a second
	// on two processors.
	soakPause = 300 * time.Millisecond
)

// TestSoak is the chaos of TestWorkloads with more graphs, and for longer: CONFIGURATION_DYNAMO_SOAK says for how long, and
// CONFIGURATION_DYNAMO_SOAK_GRAPHS with how many graphs.
func TestSoak(tt *testing.T) {
	text := os.Getenv("CONFIGURATION_DYNAMO_SOAK")
	if text == "" {
		tt.Skip("set CONFIGURATION_DYNAMO_SOAK to a duration")
	}
	duration, err := time.ParseDuration(text)
	if err != nil {
		tt.Fatal(err)
	}
	// Thousands of graphs take long before they are edited, and after it.
	t := lasting(tt, 2*duration+patience)
	graphs, err := strconv.Atoi(os.Getenv("CONFIGURATION_DYNAMO_SOAK_GRAPHS"))
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, namespacedConfiguration, newGrove)
	// A graph takes 20 GPUs on average, and a cluster has 64 nodes.
	s.startWorkloads(t, max(gpusPerNode, int64(graphs)))
	s.operators.useNodes()
	c := s.newChaos(t, graphs)
	soak := &soak{chaos: c, every: duration / soakSamples}
	c.run(t, max(killPause, time.Duration(graphs)*soakPause), func() bool {
		soak.sample(t)
		return time.Since(soak.begin) < duration
	})
	c.report(t)
	t.Logf("%s with %d graphs:\n%s", duration, graphs, soak.table(t))
}

// A soak of graphs in chaos, with samples of memory.
type soak struct {
	*chaos

	begin   time.Time
	every   time.Duration
	samples []sample
}

// A sample of what was done until then, and of the memory of processes, many of which were killed before.
type sample struct {
	at                    time.Duration
	edits, kills          int
	functions, crossplane int64
}

// sample the memory, if it is time.
func (s *soak) sample(t testing.TB) {
	t.Helper()
	if s.begin.IsZero() {
		s.begin = time.Now()
	}
	now := sample{at: time.Since(s.begin)}
	if last := len(s.samples) - 1; last >= 0 && now.at < s.samples[last].at+s.every {
		return
	}
	for _, process := range s.Functions() {
		usage, err := process.Usage()
		if err != nil {
			// It has just been killed.
			continue
		}
		now.functions += usage.RSS
	}
	usage, err := s.Crossplane().Usage()
	if err != nil {
		t.Errorf("cannot tell the memory of Crossplane: %v", err)
	}
	now.crossplane = usage.RSS
	for _, times := range s.kills {
		now.kills += times
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, edits := range s.edits {
		now.edits += len(edits)
	}
	s.samples = append(s.samples, now)
}

// table of the samples.
func (s *soak) table(t testing.TB) string {
	t.Helper()
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(table, "after\tedits\tkills\tfunctions MiB\tCrossplane MiB\t")
	for _, at := range s.samples {
		_, _ = fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t\n", at.at.Round(time.Second), at.edits, at.kills, at.functions>>20, at.crossplane>>20)
	}
	if err := table.Flush(); err != nil {
		t.Error(err)
	}
	return text.String()
}
