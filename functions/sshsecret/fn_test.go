package sshsecret

import (
	"bytes"
	"encoding/base64"
	"errors"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ssh"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
)

const (
	unread   = "cannot read the SSH Secret: its data is not valid base64"
	conflict = "u2"
	own      = "u1"
)

// TestRunFunction compares whole responses, except for those with a new key pair.
func TestRunFunction(t *testing.T) {
	// data is not a key pair: the step repeats the data of an existing Secret without reading it as keys.
	data := fields{"private.key": "cHJpdmF0ZQ==", "private.key.pub": "cHVibGlj"}
	bad := fields{"private.key": "!hunter2!"}
	cases := map[string]struct {
		reason string
		req    *fnv1.RunFunctionRequest
		want   []responseOption
	}{
		"NotNeeded": {
			reason: "Most graphs need no key pair, or their user brings one under another name.",
			req:    request(t, withoutSecret(), passing()),
		},
		"Unresolved": {
			reason: "No Secret is composed until it is known whether one exists, because a forced apply would take over a Secret of somebody else.",
			req:    request(t, withSecret()),
			want:   []responseOption{asks()},
		},
		"Observed": {
			reason: "A Secret that was composed is composed again with the same bytes, and is not looked up.",
			req:    request(t, withSecret(), observed(secretOf(data, own))),
			want:   []responseOption{composes(data)},
		},
		"ObservedAndLookedUp": {
			reason: "An observed Secret takes precedence over one that was looked up.",
			req:    request(t, withSecret(), observed(secretOf(data, own)), lookedUp(nil)),
			want:   []responseOption{composes(data)},
		},
		"Foreign": {
			reason: "An existing Secret is used but never composed, so it is never deleted with the graph.",
			req:    request(t, withSecret(), lookedUp(secretOf(data, ""))),
			want:   []responseOption{asks()},
		},
		"OfAnotherGraph": {
			reason: "A Secret of another composite resource is used but never composed.",
			req:    request(t, withSecret(), lookedUp(secretOf(data, conflict))),
			want:   []responseOption{asks()},
		},
		"NotObservedYet": {
			reason: "A Secret that an earlier run has created is composed again with the same keys.",
			req:    request(t, withSecret(), lookedUp(secretOf(data, own))),
			want:   []responseOption{asks(), composes(data)},
		},
		"StillMounted": {
			reason: "A key pair that the graph no longer needs is kept as long as pods log in with it.",
			req:    request(t, withoutSecret(), observed(secretOf(data, own)), running("mpirun-ssh-key-llama")),
			want:   []responseOption{keeps(secretOf(data, ""))},
		},
		"NotMounted": {
			reason: "A key pair is deleted when pods log in with another one.",
			req:    request(t, withoutSecret(), observed(secretOf(data, own)), running("my-keys")),
		},
		"ObservedUnreadable": {
			reason: "The error does not contain the invalid data of an observed key.",
			req:    request(t, withSecret(), observed(secretOf(bad, own))),
			want:   []responseOption{fatal(unread)},
		},
		"LookedUpUnreadable": {
			reason: "The error does not contain the invalid data of a key that was looked up.",
			req:    request(t, withSecret(), lookedUp(secretOf(bad, own))),
			want:   []responseOption{fatal(unread)},
		},
		"Input": {
			reason: "An input is refused, because it would be ignored silently.",
			req:    request(t, withSecret(), func(req *fnv1.RunFunctionRequest) { req.Input = resource.MustStructJSON(`{"kind":"Input"}`) }),
			want:   []responseOption{fatal("this step does not support input; remove the input from the Composition, and set policy in the input of step plan")},
		},
		"NoPlan": {
			reason: "A request without a plan is refused, because an empty response would delete the key pair.",
			req:    request(t, withSecret(), func(req *fnv1.RunFunctionRequest) { req.Context = nil }),
			want: []responseOption{fatal("the pipeline context has no plan (key plan.dynamo.nvidia.com): step plan must run before this step, " +
				"and the resources that step plan requires must be provided")},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(answer(tc.req, tc.want...), steptest.Run(t, function(), tc.req), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestNewKeyPair shows the Secret of a graph that has none yet.
func TestNewKeyPair(t *testing.T) {
	req := request(t, withSecret(), lookedUp(nil), passing())
	rsp := steptest.Run(t, function(), req)
	private, public := composed(t, rsp, "private.key"), composed(t, rsp, "private.key.pub")
	signer, err := ssh.ParsePrivateKey(private)
	if err != nil {
		t.Fatalf("the private key cannot be parsed: %v", err)
	}
	authorized, _, _, _, err := ssh.ParseAuthorizedKey(public)
	if err != nil {
		t.Fatalf("the public key cannot be parsed: %v", err)
	}
	if authorized.Type() != ssh.KeyAlgoED25519 || !bytes.Equal(signer.PublicKey().Marshal(), authorized.Marshal()) {
		t.Errorf("want a pair of Ed25519 keys, got %s and %s", signer.PublicKey().Type(), authorized.Type())
	}

	want := answer(req, asks(), composes("masked"))
	want.Desired.Resources["gateway"] = req.GetDesired().GetResources()["gateway"]
	rsp.GetDesired().GetResources()["ssh-secret"].Resource.Fields["data"] = structpb.NewStringValue("masked")
	if diff := cmp.Diff(want, rsp, protocmp.Transform()); diff != "" {
		t.Errorf("RunFunction(...): -want, +got:\n%s", diff)
	}
}

// TestNoRandomness shows that the pipeline ends if no key pair can be generated.
func TestNoRandomness(t *testing.T) {
	f := newFunction(logging.NewNopLogger(), iotest.ErrReader(errors.New("no entropy")))
	req := request(t, withSecret(), lookedUp(nil))
	want := answer(req, fatal("cannot generate an SSH key: no entropy"))
	if diff := cmp.Diff(want, steptest.Run(t, f, req), protocmp.Transform()); diff != "" {
		t.Errorf("RunFunction(...): -want, +got:\n%s", diff)
	}
}

// composed is one key of the data of the composed Secret.
func composed(t *testing.T, rsp *fnv1.RunFunctionResponse, key string) []byte {
	t.Helper()
	fields := rsp.GetDesired().GetResources()["ssh-secret"].GetResource().GetFields()["data"].GetStructValue().GetFields()
	value, err := base64.StdEncoding.DecodeString(fields[key].GetStringValue())
	if err != nil || len(value) == 0 {
		t.Fatalf("the composed Secret has no %s: %v", key, err)
	}
	return value
}
