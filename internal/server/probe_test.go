package server

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/health"
)

func TestProbes(t *testing.T) {
	cases := map[string]struct {
		reason  string
		path    string
		stopped bool
		want    int
	}{
		"Live":         {reason: "A process that answers is alive.", path: "/livez", want: http.StatusOK},
		"Ready":        {reason: "A function is ready as soon as it serves.", path: "/readyz", want: http.StatusOK},
		"LiveStopped":  {reason: "A process that finishes its calls must not be restarted.", path: "/livez", stopped: true, want: http.StatusOK},
		"ReadyStopped": {reason: "A function that is being stopped gets no new calls.", path: "/readyz", stopped: true, want: http.StatusServiceUnavailable},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			probe, mux := health.NewServer(), http.NewServeMux()
			addProbes(mux, probe)
			if tc.stopped {
				probe.Shutdown()
			}
			recorder := httptest.NewRecorder()
			mux.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, tc.path, nil))
			if diff := cmp.Diff(tc.want, recorder.Code); diff != "" {
				t.Errorf("%s\n%s: -want status, +got status:\n%s", tc.reason, tc.path, diff)
			}
		})
	}
}
