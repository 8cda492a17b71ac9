package main

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/servertest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// TestServe serves all functions, each at its own port, and sends each more than it receives, and as much as it does.
func TestServe(t *testing.T) {
	t.Setenv("MAX_RECV_MESSAGE_SIZE", "5")
	all := functions.All(logging.NewNopLogger())
	last := 0
	for _, fn := range all {
		last = max(last, fn.Port-functions.BasePort)
	}
	base := servertest.FreePorts(t, last+1)

	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan int, 1)
	var stderr bytes.Buffer
	go func() {
		done <- run(ctx, []string{"serve", "--all", "--insecure", "--base-port", strconv.Itoa(base)}, streams{err: output.To(&stderr), out: output.To(&stderr)})
	}()
	for _, fn := range all {
		address := fmt.Sprintf("127.0.0.1:%d", base+fn.Port-functions.BasePort)
		servertest.Answers(t, address)
		if err := servertest.Send(t, address, 4<<20+1<<19); err != nil {
			t.Errorf("%s: want what is within the limit to be received, got %v", fn.Name, err)
		}
		if err := servertest.Send(t, address, 5<<20+1); status.Code(err) != codes.ResourceExhausted || !strings.Contains(err.Error(), "received message larger than max") {
			t.Errorf("%s: want what is above the limit to be refused, got %v", fn.Name, err)
		}
	}
	cancel()
	if code := <-done; code != 0 {
		t.Errorf("run(...): want exit status 0, got %d: %s", code, stderr.String())
	}
}

func TestServeErrors(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   []string
		code   int
		want   string
	}{
		"NotAll": {
			reason: "To serve without saying what is a mistake.",
			args:   []string{"serve", "--insecure"},
			code:   exitUsage,
			want:   "dgd: error: missing flags: --all\n",
		},
		"NoCredentials": {
			reason: "Functions are not served without credentials by accident.",
			args:   []string{"serve", "--all"},
			code:   exitRefused,
			want:   "dgd: error: cannot serve without certificates; set --tls-certs-dir, or --insecure for development\n",
		},
		"ReceivesLessThanNothing": {
			reason: "A limit below zero is a mistake.",
			args:   []string{"serve", "--all", "--insecure", "--max-recv-message-size=-1"},
			code:   exitUsage,
			want:   "dgd: error: serve: --max-recv-message-size (MAX_RECV_MESSAGE_SIZE) is -1, but must be between 1 and 1024 MB\n",
		},
		"OneFunction": {
			reason: "Single functions are served by the program in their packages.",
			args:   []string{"plan"},
			code:   exitUsage,
			want:   "dgd: error: there is no command plan, did you mean \"man\"? dgd --help lists them\n",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TLS_SERVER_CERTS_DIR", "")
			var stdout, stderr bytes.Buffer
			if code := run(t.Context(), tc.args, streams{out: output.To(&stdout), err: output.To(&stderr)}); code != tc.code {
				t.Errorf("\n%s\nrun(...): want exit status %d, got %d", tc.reason, tc.code, code)
			}
			if diff := cmp.Diff(tc.want, stderr.String()); diff != "" {
				t.Errorf("\n%s\nrun(...): error output: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
