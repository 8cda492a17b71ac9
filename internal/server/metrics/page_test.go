package metrics

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
)

// counting is a collector that counts how often it collects, and fails if it is told to.
type counting struct {
	*Metrics

	times int
	err   error
}

func (c *counting) Collect(collected chan<- prometheus.Metric) {
	c.times++
	if c.err != nil {
		collected <- prometheus.NewInvalidMetric(c.build.Desc(), c.err)
		return
	}
	c.Metrics.Collect(collected)
}

func newCounting(t *testing.T) (*counting, *Page) {
	t.Helper()
	source, registry := &counting{Metrics: New("graph", "v1.2.3")}, prometheus.NewRegistry()
	if err := registry.Register(source); err != nil {
		t.Fatal(err)
	}
	return source, NewPage(registry)
}

// ask for a page.
func ask(t *testing.T, p *Page, accept string) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody)
	request.Header.Set("Accept-Encoding", accept)
	response := httptest.NewRecorder()
	p.ServeHTTP(response, request)
	return response
}

// TestPageIsKept shows that any number of clients, whatever they accept, costs one page in a moment.
func TestPageIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source, page := newCounting(t)
		for moment := 1; moment <= 3; moment++ {
			var asking sync.WaitGroup
			for range 30 {
				for _, accept := range []string{"", "gzip", "deflate, gzip", "zstd"} {
					asking.Go(func() { ask(t, page, accept) })
				}
			}
			asking.Wait()
			if diff := cmp.Diff(moment, source.times); diff != "" {
				t.Errorf("pages that were made in %d moments: -want, +got:\n%s", moment, diff)
			}
			time.Sleep(Fresh)
		}
	})
}

func TestPage(t *testing.T) {
	const metric = `configuration_dynamo_build_info{function="graph",release="v1.2.3"} 1`
	for accept, want := range map[string]string{
		"": "", "gzip": "gzip", "deflate, GZIP": "gzip", "identity": "", "gzip;q=0": "", "x-gzip": "",
	} {
		_, page := newCounting(t)
		response := ask(t, page, accept)
		if diff := cmp.Diff(want, response.Header().Get("Content-Encoding")); diff != "" {
			t.Errorf("encoding for a client that accepts %q: -want, +got:\n%s", accept, diff)
		}
		if got := response.Header().Get("Content-Type"); !strings.HasPrefix(got, "text/plain; version=0.0.4") {
			t.Errorf("want the text format of Prometheus, got %q", got)
		}
		body := io.Reader(response.Body)
		if want == "gzip" {
			var err error
			if body, err = gzip.NewReader(body); err != nil {
				t.Fatal(err)
			}
		}
		text, err := io.ReadAll(body)
		if err != nil || !strings.Contains(string(text), metric) {
			t.Errorf("want %s for a client that accepts %q, got %s (%v)", metric, accept, text, err)
		}
	}
}

// TestPageFails shows that an error is said, and that it is not kept.
func TestPageFails(t *testing.T) {
	source, page := newCounting(t)
	source.err = errors.New("no memory")
	if got := ask(t, page, ""); got.Code != http.StatusInternalServerError || !strings.Contains(got.Body.String(), "no memory") {
		t.Errorf("want the error, got %d: %s", got.Code, got.Body)
	}
	source.err = nil
	if got := ask(t, page, ""); got.Code != http.StatusOK {
		t.Errorf("want a page after an error, got %d: %s", got.Code, got.Body)
	}
}
