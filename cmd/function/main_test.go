package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/servertest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// TestArguments checks what is said about arguments and the environment.
func TestArguments(t *testing.T) {
	cases := map[string]struct {
		reason      string
		args        []string
		environment map[string]string
		code        int
		want        string
	}{
		"NoFunction": {
			reason: "The image of a package names its function, so its absence is a mistake.",
			code:   exitUsage,
			want:   "function: error: the first argument must be one of the functions: plan, foundation,",
		},
		"UnknownFunction": {
			reason: "The error lists the functions.",
			args:   []string{"render"},
			code:   exitUsage,
			want:   "revision, status, graph\n",
		},
		"UnknownFlag": {
			reason: "A flag that does not exist ends the process, and is named.",
			args:   []string{"plan", "--port=1"},
			code:   exitUsage,
			want:   "flag provided but not defined: -port\nUsage of function plan:\n",
		},
		"Argument": {
			reason: "Everything after the name of the function is a flag.",
			args:   []string{"plan", "--debug", "true"},
			code:   exitUsage,
			want:   "function: error: unexpected argument true\n",
		},
		"Environment": {
			reason:      "The error names the variable, its value and the flag.",
			args:        []string{"plan"},
			environment: map[string]string{"MAX_RECV_MESSAGE_SIZE": "16MB"},
			code:        exitUsage,
			want:        `function: error: cannot use MAX_RECV_MESSAGE_SIZE="16MB" for --max-recv-message-size: parse error` + "\n",
		},
		"Nothing": {
			reason: "A limit that nothing passes is a mistake.",
			args:   []string{"plan", "--insecure", "--max-recv-message-size", "0"},
			code:   exitUsage,
			want:   "function: error: --max-recv-message-size (MAX_RECV_MESSAGE_SIZE) is 0, but must be between 1 and 1024 MB\n",
		},
		"TooMuch": {
			reason: "A limit that no pod could hold is refused before anything is served.",
			args:   []string{"status", "--insecure", "--max-recv-message-size", "1099511627776"},
			code:   exitUsage,
			want:   "function: error: --max-recv-message-size (MAX_RECV_MESSAGE_SIZE) is 1099511627776, but must be between 1 and 1024 MB\n",
		},
		"NoCertificates": {
			reason: "A function is not served without credentials by accident.",
			args:   []string{"plan", "--address=127.0.0.1:0", "--metrics-address="},
			code:   exitFailed,
			want:   "function: error: cannot serve without certificates; set --tls-certs-dir, or --insecure for development\n",
		},
		"Certificates": {
			reason:      "The directory that the environment names is read.",
			args:        []string{"plan", "--address=127.0.0.1:0", "--metrics-address="},
			environment: map[string]string{"TLS_SERVER_CERTS_DIR": "no-such-dir"},
			code:        exitFailed,
			want:        "no-such-dir",
		},
		"Help": {
			reason: "Help lists the flags with their defaults.",
			args:   []string{"graph", "--help"},
			want:   `(default ":9443")`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, variable := range variables() {
				t.Setenv(variable, tc.environment[variable])
			}
			var stderr bytes.Buffer
			code := run(t.Context(), tc.args, &stderr)
			if code != tc.code || !strings.Contains(stderr.String(), tc.want) {
				t.Errorf("%s\nwant exit status %d and %q, got %d and %q", tc.reason, tc.code, tc.want, code, stderr.String())
			}
		})
	}
}

// TestServe serves each function by the flags that Crossplane's functions have, and sends it more than it receives, and as much as it does.
func TestServe(t *testing.T) {
	t.Setenv("MAX_RECV_MESSAGE_SIZE", "5")
	for _, fn := range functions.All(logging.NewNopLogger()) {
		t.Run(fn.Name, func(t *testing.T) {
			address := fmt.Sprintf("127.0.0.1:%d", servertest.FreePorts(t, 1))
			stop := start(t, fn.Name, "--insecure", "-d", "--network", "tcp", "--address", address, "--metrics-address", "")
			servertest.Answers(t, address)
			if err := servertest.Send(t, address, 4<<20+1<<19); err != nil {
				t.Errorf("want what is within the limit to be received, got %v", err)
			}
			if err := servertest.Send(t, address, 5<<20+1); status.Code(err) != codes.ResourceExhausted || !strings.Contains(err.Error(), "received message larger than max") {
				t.Errorf("want what is above the limit to be refused, got %v", err)
			}
			stop()
		})
	}
}

// TestServeByDefault sends a function as much as the largest graph takes that Crossplane receives.
func TestServeByDefault(t *testing.T) {
	address := fmt.Sprintf("127.0.0.1:%d", servertest.FreePorts(t, 1))
	stop := start(t, "status", "--insecure", "--address", address, "--metrics-address", "")
	servertest.Answers(t, address)
	if err := servertest.Send(t, address, 3*response.MaxSize); err != nil {
		t.Errorf("want a request of three times what Crossplane receives to be received, got %v", err)
	}
	stop()
}

// start the program. stop it, and check that it ends without an error.
func start(t *testing.T, args ...string) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan int, 1)
	go func() { done <- run(ctx, args, io.Discard) }()
	return func() {
		cancel()
		if code := <-done; code != 0 {
			t.Errorf("run(%v): want exit status 0, got %d", args, code)
		}
	}
}

// TestDocumented checks that the page about commands has each flag.
func TestDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "cli.md"))
	if err != nil {
		t.Fatal(err)
	}
	new(settings).flags("plan").VisitAll(func(f *flag.Flag) {
		want := "--" + f.Name + "`: " + f.Usage
		if f.Name == "d" {
			want = "`-d, --debug`: " + f.Usage
		}
		if variable := variables()[f.Name]; variable != "" {
			want += " Also set by " + variable + "."
		}
		if !strings.Contains(string(page), want+"\n") {
			t.Errorf("docs/cli.md does not have %q", want)
		}
	})
}
