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

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/steptest"
)

const (
	// data is not a key pair: what is there is repeated, whatever it is.
	data     = `{"private.key":"cHJpdmF0ZQ==","private.key.pub":"cHVibGlj"}`
	bad      = `{"private.key":"!hunter2!"}`
	unread   = "cannot read the SSH Secret: its data is not valid base64"
	gateway  = `{"kind":"Deployment"}`
	conflict = "u2"
	own      = "u1"
)

// TestRunFunction compares whole responses, but for a new key pair.
func TestRunFunction(t *testing.T) {
	cases := map[string]struct {
		reason string
		req    *fnv1.RunFunctionRequest
		want   []responseOption
	}{
		"NotNeeded": {
			reason: "Most graphs need no key pair, or the user brings one under a name of its own.",
			req:    request(withoutSecret, passing("gateway", gateway)),
		},
		"Unresolved": {
			reason: "Until it is known whether a Secret exists, none is composed: forced apply would take somebody else's.",
			req:    request(withSecret),
			want:   []responseOption{asks()},
		},
		"Observed": {
			reason: "A Secret that was composed is repeated byte for byte, without being looked up.",
			req:    request(withSecret, observed(secretOf(data, own))),
			want:   []responseOption{composes(data)},
		},
		"ObservedAndLookedUp": {
			reason: "A Secret that is observed comes before one that is looked up.",
			req:    request(withSecret, observed(secretOf(data, own)), lookedUp("")),
			want:   []responseOption{composes(data)},
		},
		"Foreign": {
			reason: "A Secret that exists already is used and never composed, so that it is never deleted either.",
			req:    request(withSecret, lookedUp(secretOf(data, ""))),
			want:   []responseOption{asks()},
		},
		"OfAnotherGraph": {
			reason: "A Secret of another composite resource is used and never composed.",
			req:    request(withSecret, lookedUp(secretOf(data, conflict))),
			want:   []responseOption{asks()},
		},
		"MadeAndNotObserved": {
			reason: "A Secret that an earlier run made is repeated, not created again.",
			req:    request(withSecret, lookedUp(secretOf(data, own))),
			want:   []responseOption{asks(), composes(data)},
		},
		"StillMounted": {
			reason: "A key that the graph needs no more stays as it is while pods log in with it.",
			req:    request(withoutSecret, observed(secretOf(data, own)), running("mpirun-ssh-key-llama")),
			want:   []responseOption{keeps(secretOf(data, ""))},
		},
		"NotMounted": {
			reason: "A key goes when pods log in with another one.",
			req:    request(withoutSecret, observed(secretOf(data, own)), running("my-keys")),
		},
		"ObservedUnreadable": {
			reason: "Bad data of an observed key is not said in the error.",
			req:    request(withSecret, observed(secretOf(bad, own))),
			want:   []responseOption{fatal(unread)},
		},
		"MadeUnreadable": {
			reason: "Bad data of a key that was looked up is not said in the error.",
			req:    request(withSecret, lookedUp(secretOf(bad, own))),
			want:   []responseOption{fatal(unread)},
		},
		"Input": {
			reason: "An input would be ignored silently.",
			req:    request(withSecret, func(req *fnv1.RunFunctionRequest) { req.Input = resource.MustStructJSON(`{"kind":"Input"}`) }),
			want:   []responseOption{fatal("this step does not support input; remove the input from the Composition, and set policy in the input of step plan")},
		},
		"NoPlan": {
			reason: "Without a plan silence would delete the key pair.",
			req:    request(withSecret, func(req *fnv1.RunFunctionRequest) { req.Context = nil }),
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
	req := request(withSecret, lookedUp(""), passing("gateway", gateway))
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

	want := answer(req, asks(), composes(`"masked"`))
	want.Desired.Resources["gateway"] = req.GetDesired().GetResources()["gateway"]
	rsp.GetDesired().GetResources()["ssh-secret"].Resource.Fields["data"] = structpb.NewStringValue("masked")
	if diff := cmp.Diff(want, rsp, protocmp.Transform()); diff != "" {
		t.Errorf("RunFunction(...): -want, +got:\n%s", diff)
	}
}

// TestNoRandomness shows that a key pair that cannot be generated is no reason to go on without.
func TestNoRandomness(t *testing.T) {
	f := function()
	f.random = iotest.ErrReader(errors.New("no entropy"))
	req := request(withSecret, lookedUp(""))
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
