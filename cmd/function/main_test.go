//go:build serving

package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestServingArguments checks what the program in the packages of the functions says about arguments. That it serves is tested with
// packages on a control plane.
func TestServingArguments(t *testing.T) {
	cases := map[string]struct {
		reason      string
		args        []string
		environment string
		code        int
		want        string
	}{
		"NoFunction": {
			reason: "The image of a package names its function, so its absence is a mistake.",
			code:   exitUsage,
			want:   "functions: error: the first argument must be one of the functions: plan, foundation,",
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
			want:   "flag provided but not defined: -port\nUsage of functions plan:\n",
		},
		"Argument": {
			reason: "Everything after the name of the function is a flag.",
			args:   []string{"plan", "--debug", "true"},
			code:   exitUsage,
			want:   "functions: error: unexpected argument true\n",
		},
		"Environment": {
			reason:      "The error names the variable, its value and the flag.",
			args:        []string{"plan"},
			environment: "16MB",
			code:        exitUsage,
			want:        `functions: error: cannot use MAX_RECV_MESSAGE_SIZE="16MB" for --max-recv-message-size: "16MB" is not a number` + "\n",
		},
		"Limit": {
			reason: "A size out of range is refused before anything is served.",
			args:   []string{"plan", "--max-recv-message-size=4096"},
			code:   exitUsage,
			want:   "functions: error: --max-recv-message-size (MAX_RECV_MESSAGE_SIZE) is 4096, but must be between 1 and 1024 MB\n",
		},
		"NoCertificates": {
			reason: "Without certificates, a function is only served if --insecure is set.",
			args:   []string{"plan", "--address=127.0.0.1:0", "--metrics-address="},
			code:   exitRefused,
			want:   "functions: error: ",
		},
		"Help": {
			reason: "Help lists the flags with their defaults.",
			args:   []string{"graph", "--help"},
			want:   "(default :9443)",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv("MAX_RECV_MESSAGE_SIZE", tc.environment)
			t.Setenv("TLS_SERVER_CERTS_DIR", "")
			var out, stderr bytes.Buffer
			code := run(t.Context(), tc.args, streams{out: &out, err: &stderr})
			if code != tc.code || out.Len() > 0 || !strings.Contains(stderr.String(), tc.want) {
				t.Errorf("%s\nwant exit status %d and %q, got %d and %q%s", tc.reason, tc.code, tc.want, code, stderr.String(), out.String())
			}
		})
	}
}
