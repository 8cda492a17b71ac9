package harness

import (
	"runtime"
	"sync"
	"testing"
)

// RenderAll renders all manifests, with one render for each processor at a time, and returns the outputs in the same order.
func (b *Binary) RenderAll(t testing.TB, renders []Render) []Output {
	t.Helper()
	outputs := make([]Output, len(renders))
	errs := make([]error, len(renders))
	Parallel(len(renders), func(i int) { outputs[i], errs[i] = b.render(t.Context(), renders[i]) })
	for i, err := range errs {
		if err != nil {
			t.Errorf("%s: %v", renders[i].XR, err)
		}
	}
	return outputs
}

// Parallel calls do with 0 to n-1, with one call for each processor at a time.
func Parallel(n int, do func(i int)) {
	var running sync.WaitGroup
	slots := make(chan struct{}, runtime.NumCPU())
	for i := range n {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			do(i)
		})
	}
	running.Wait()
}
