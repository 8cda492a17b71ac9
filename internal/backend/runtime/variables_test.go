package runtime

import (
	"slices"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

func TestOldVariables(t *testing.T) {
	all := OldVariables()
	if !slices.IsSortedFunc(all, func(a, b OldVariable) int { return strings.Compare(a.Name+" "+string(a.In), b.Name+" "+string(b.In)) }) {
		t.Error("OldVariables(): want them sorted by name and release")
	}
	for _, o := range all {
		if _, err := Parse(string(o.In)); err != nil || o.In.Compare(NewestWithRules()) > 0 || o.Change == "" || o.Remedy == "" {
			t.Errorf("OldVariables(): want a known release, the change and a remedy, got %+v (%v)", o, err)
		}
	}
}

func TestOldVariableOf(t *testing.T) {
	cases := map[string]struct {
		reason, variable string
		version          Version
		framework        v1alpha1.BackendFramework
		want             string
	}{
		"Before":      {reason: "The release before still has the variable.", variable: "DYN_SNAPSHOT_RESTORE_STANDBY", version: "1.4.2"},
		"Since":       {reason: "The release has removed the variable.", variable: "DYN_SNAPSHOT_RESTORE_STANDBY", version: "1.5.0", want: "has no effect, because it was removed"},
		"Deprecated":  {reason: "All variables with the beginning are deprecated.", variable: "DYN_KVBM_CPU_CACHE_GB", version: "1.5.1", want: "is deprecated with the KV block manager, which 1.6.0 does not have"},
		"Removed":     {reason: "The next release has removed them.", variable: "DYN_KVBM_CPU_CACHE_GB", version: "1.6.0", want: "has no effect, because the KV block manager was removed"},
		"Engine":      {reason: "One engine ignores the variable.", variable: "DYN_CONNECTOR", version: "1.6.0", framework: v1alpha1.BackendVLLM, want: "is ignored by vLLM"},
		"OtherEngine": {reason: "Others read it.", variable: "DYN_CONNECTOR", version: "1.6.0", framework: v1alpha1.BackendTRTLLM},
		"Other":       {reason: "Most variables stay.", variable: "DYN_NAMESPACE", version: "1.6.0"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got, ok := OldVariableOf(tc.variable, tc.version, tc.framework); got.Change != tc.want || ok != (tc.want != "") {
				t.Errorf("%s\nOldVariableOf(%s, %s, %s): want %q, got %q, %t", tc.reason, tc.variable, tc.version, tc.framework, tc.want, got.Change, ok)
			}
		})
	}
}

func TestDefaultOf(t *testing.T) {
	cases := map[string]struct {
		reason, variable string
		version          Version
		want             string
	}{
		"Requests":      {reason: "Programs send requests by TCP since the first release.", variable: "DYN_REQUEST_PLANE", version: "1.0.0", want: "tcp"},
		"EarlyRequests": {reason: "Before, it depends on what is installed.", variable: "DYN_REQUEST_PLANE", version: "0.9.1"},
		"Events":        {reason: "Programs publish events by ZMQ with every discovery backend.", variable: "DYN_EVENT_PLANE", version: "1.5.0", want: "zmq"},
		"Assumed":       {reason: "A release that is assumed is not known to do so.", variable: "DYN_EVENT_PLANE"},
		"Other":         {reason: "Of most variables nothing is known.", variable: "DYN_NAMESPACE", version: "1.6.0"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.version.DefaultOf(tc.variable); got != tc.want {
				t.Errorf("%s\nDefaultOf(...): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
