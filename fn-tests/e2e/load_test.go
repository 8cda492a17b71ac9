package e2e

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

const (
	// crowd is how many graphs are created at once.
	crowd = 100
	// crowdNamespace is how the names of their namespaces begin.
	crowdNamespace = "crowd-"
)

// load creates many graphs at once, half of them without Grove.
func (s *suite) load(t *T) {
	mix := exampleManifests(t)
	var graphs []*unstructured.Unstructured
	for i := range crowd {
		// The copies of an example create claims of the same name, which no two graphs of a namespace may.
		namespace := fmt.Sprintf("%s%d", crowdNamespace, i/len(mix))
		if i%len(mix) == 0 {
			s.namespaceOfExamples(t, namespace)
		}
		g := mix[i%len(mix)].graph.DeepCopy()
		g.SetNamespace(namespace)
		g.SetName(fmt.Sprintf("g%d", i))
		graphs = append(graphs, g)
	}

	before, err := s.Reconciles(s.ctx)
	if err != nil {
		t.Fatal(err)
	}
	spent := s.functionUsage(t)
	begin := time.Now()
	for _, g := range graphs {
		s.apply(t, g)
	}
	s.eventually(t, "all graphs are synced", func() error {
		live, err := s.Client.List(s.ctx, nvidia, dgd, "", "")
		if err != nil {
			return err
		}
		synced := 0
		var last string
		for i := range live {
			if !strings.HasPrefix(live[i].GetNamespace(), crowdNamespace) {
				continue
			}
			status, message := controlplane.Condition(&live[i], "Synced")
			if status == "True" {
				synced++
			} else {
				last = live[i].GetName() + ": " + message
			}
		}
		if synced < crowd {
			return errors.Join(fmt.Errorf("%d of %d are", synced, crowd), errors.New(last))
		}
		return nil
	})
	duration := time.Since(begin)
	after, err := s.Reconciles(s.ctx)
	if err != nil {
		t.Fatal(err)
	}
	crossplane, err := s.Crossplane().Usage()
	if err != nil {
		t.Fatal(err)
	}
	functions := s.functionUsage(t)
	t.Logf("%d graphs synced in %s with %d reconciles; the functions took %.1f s of CPU; peak RSS: Crossplane %d MiB, all functions %d MiB",
		crowd, duration.Round(100*time.Millisecond), after-before, (functions.CPU - spent.CPU).Seconds(), crossplane.PeakRSS>>20, functions.PeakRSS>>20)
	s.remove(t, graphs...)
}

// functionUsage of all functions together.
func (s *suite) functionUsage(t testing.TB) controlplane.Usage {
	t.Helper()
	var all controlplane.Usage
	for _, process := range slices.Collect(maps.Values(s.Functions())) {
		usage, err := process.Usage()
		if err != nil {
			t.Fatal(err)
		}
		all.CPU += usage.CPU
		all.PeakRSS += usage.PeakRSS
	}
	return all
}
