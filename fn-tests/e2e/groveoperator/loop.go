package groveoperator

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

const (
	// turnPause is the time between two turns. Without a change, the next one comes after idlePause.
	turnPause = 200 * time.Millisecond
	idlePause = time.Second
)

// A Loop makes turns after changes of what Grove works on, until it is stopped. It can be paused.
type Loop struct {
	mutex  sync.Mutex
	paused bool
	// woken is true if something has changed since the last turn.
	woken atomic.Bool
	ended chan struct{}
	stop  context.CancelFunc
}

// Start a loop. What fails in a turn is tried again in the next one.
func Start(ctx context.Context, client *controlplane.Client, paused bool, turn func(ctx context.Context, paused bool)) *Loop {
	ctx, cancel := context.WithCancel(ctx)
	l := &Loop{paused: paused, ended: make(chan struct{}), stop: cancel}
	for version, kinds := range map[string][]string{apiVersion: {kindSet, kindGroup, kindClique}, "v1": {"Pod"}} {
		for _, kind := range kinds {
			// What cannot be watched is found in the next idle turn.
			_ = client.Watch(ctx, version, kind, "", func(*unstructured.Unstructured) { l.woken.Store(true) })
		}
	}
	go func() {
		defer close(l.ended)
		for ctx.Err() == nil {
			l.Do(func() { turn(ctx, l.paused) })
			for end := time.Now().Add(idlePause); ; {
				time.Sleep(turnPause)
				if l.woken.Swap(false) || time.Now().After(end) || ctx.Err() != nil {
					break
				}
			}
		}
	}()
	return l
}

// Run an operator in a loop. What is deleted can go also while it is paused.
func (o *Operator) Run(ctx context.Context) *Loop {
	return Start(ctx, o.client, false, func(ctx context.Context, paused bool) {
		if paused {
			_ = o.Finalize(ctx)
			return
		}
		_ = o.Turn(ctx)
	})
}

// Do something between two turns.
func (l *Loop) Do(something func()) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	something()
}

// Work or pause. When it returns, the previous turn has ended.
func (l *Loop) Work(yes bool) {
	l.Do(func() { l.paused = !yes })
	l.woken.Store(true)
}

// Stop the loop, after the turn that is being made.
func (l *Loop) Stop() {
	l.stop()
	<-l.ended
}
