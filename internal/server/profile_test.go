package server

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/crossplane/function-sdk-go/logging"
)

func TestProfiles(t *testing.T) {
	profiles, metrics := fmt.Sprintf("127.0.0.1:%d", freePort(t)), fmt.Sprintf("127.0.0.1:%d", freePort(t))
	fns := []Function{fake(echo), fake(echo)}
	fns[0].Port, fns[1].Port = freePort(t), freePort(t)

	cases := map[string]struct {
		reason string
		serve  func(context.Context) error
		want   bool
	}{
		"One": {
			reason: "A function serves profiles where it is told to.",
			serve: func(ctx context.Context) error {
				return Serve(ctx, fake(echo), Options{Network: "tcp", Address: "127.0.0.1:0", Insecure: true, MetricsAddress: metrics, ProfilesAddress: profiles}, logging.NewNopLogger())
			},
			want: true,
		},
		"All": {
			reason: "All functions of a process have the same profiles.",
			serve: func(ctx context.Context) error {
				return ServeAll(ctx, fns, Options{Network: "tcp", Address: "127.0.0.1", Insecure: true, ProfilesAddress: profiles}, logging.NewNopLogger())
			},
			want: true,
		},
		"None": {
			reason: "Nobody serves profiles who is not told to.",
			serve: func(ctx context.Context) error {
				return Serve(ctx, fake(echo), Options{Network: "tcp", Address: "127.0.0.1:0", Insecure: true, MetricsAddress: metrics}, logging.NewNopLogger())
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- tc.serve(ctx) }()
			defer func() {
				cancel()
				if err := <-done; err != nil {
					t.Errorf("%s\nunexpected error: %v", tc.reason, err)
				}
				if conn, err := net.Dial("tcp", profiles); err == nil {
					_ = conn.Close()
					t.Errorf("%s\nprofiles are served after the end", tc.reason)
				}
			}()

			if !tc.want {
				if body := get(t, "http://"+metrics+"/debug/pprof/"); !strings.Contains(body, "404") {
					t.Errorf("%s\nthe address of the metrics serves profiles: %s", tc.reason, body)
				}
				if rsp, err := http.Get("http://" + profiles + "/debug/pprof/"); err == nil {
					_ = rsp.Body.Close()
					t.Errorf("%s\nsomebody serves profiles", tc.reason)
				}
				return
			}
			for path, want := range map[string]string{"": "goroutine", "heap?debug=1": "heap profile", "goroutine?debug=1": "goroutine profile", "cmdline": "server"} {
				if body := get(t, "http://"+profiles+"/debug/pprof/"+path); !strings.Contains(body, want) {
					t.Errorf("%s\nwant %q at %q, got %.200s", tc.reason, want, path, body)
				}
			}
		})
	}
}
