package cluster

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

// progress of objects towards what is wanted of them.
type progress struct {
	mutex sync.Mutex
	there map[string]bool
	last  time.Time
	want  int
	all   chan struct{}
}

// watch objects of a kind until as many as there are graphs are as wanted. They are watched and not listed, which would be work
// for the API server that is measured.
func (m *measurement) watch(ctx context.Context, apiVersion, kind string, wanted func(*unstructured.Unstructured) bool) (*progress, error) {
	p := &progress{there: map[string]bool{}, want: m.Count, all: make(chan struct{})}
	return p, m.c.Client.Watch(ctx, apiVersion, kind, Namespace, func(object *unstructured.Unstructured) {
		if wanted(object) {
			p.add(object.GetName())
		}
	})
}

func (p *progress) add(name string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if len(p.there) == p.want || p.there[name] {
		return
	}
	p.there[name], p.last = true, time.Now()
	if len(p.there) == p.want {
		close(p.all)
	}
}

// await that all objects are as wanted, as long as one more is so in time.
func (m *measurement) await(ctx context.Context, p *progress) error {
	before := -1
	for {
		select {
		case <-p.all:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(patience):
		}
		p.mutex.Lock()
		now := len(p.there)
		p.mutex.Unlock()
		if now == before {
			return fmt.Errorf("%d of %d are, and no other became so in %s", now, p.want, patience)
		}
		before = now
	}
}

// is reports whether a condition of an object is true.
func is(condition string) func(*unstructured.Unstructured) bool {
	return func(object *unstructured.Unstructured) bool {
		status, _ := controlplane.Condition(object, condition)
		return status == "True"
	}
}
