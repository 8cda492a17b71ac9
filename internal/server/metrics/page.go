package metrics

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
	"golang.org/x/net/http/httpguts"

	"github.com/crossplane/function-sdk-go/errors"
)

// Fresh is how long a page of metrics is sent to everybody who asks, before it is made anew. Prometheus asks less often.
const Fresh = time.Second

// A Page has all metrics of a registry. A page costs a hundred times as much to make as to send, and nobody has to prove who they are to ask for
// it, so it is not made for each request, as promhttp does.
type Page struct {
	metrics prometheus.Gatherer

	mutex             sync.Mutex
	made              time.Time
	plain, compressed []byte
}

// NewPage of metrics.
func NewPage(metrics prometheus.Gatherer) *Page { return &Page{metrics: metrics} }

// ServeHTTP sends the page.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	plain, compressed, err := p.latest()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", string(format()))
	w.Header().Set("Vary", "Accept-Encoding")
	body := plain
	if httpguts.HeaderValuesContainsToken(r.Header["Accept-Encoding"], "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		body = compressed
	}
	// A client that is gone needs no page.
	_, _ = w.Write(body)
}

// latest page, which is made anew if it is too old. Whoever asks meanwhile waits for it.
func (p *Page) latest() (plain, compressed []byte, err error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.plain != nil && time.Since(p.made) < Fresh {
		return p.plain, p.compressed, nil
	}
	families, err := p.metrics.Gather()
	if err != nil {
		return nil, nil, errors.Wrap(err, "cannot collect metrics")
	}
	var text, small bytes.Buffer
	encoder := expfmt.NewEncoder(&text, format())
	for _, family := range families {
		if err := encoder.Encode(family); err != nil {
			return nil, nil, errors.Wrapf(err, "cannot encode metric %s", family.GetName())
		}
	}
	// Nothing that is written to a buffer fails.
	archive := gzip.NewWriter(&small)
	_, _ = archive.Write(text.Bytes())
	_ = archive.Close()
	p.made, p.plain, p.compressed = time.Now(), text.Bytes(), small.Bytes()
	return p.plain, p.compressed, nil
}

// format that every Prometheus reads.
func format() expfmt.Format { return expfmt.NewFormat(expfmt.TypeTextPlain) }
