package transition

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

func TestCodes(t *testing.T) {
	var codes Codes
	Refuse(WithCodes(t.Context(), &codes), Codes{rule.Labels, rule.GuardRails})
	if diff := cmp.Diff(Codes{"DGD205", "DGD313"}, codes); diff != "" {
		t.Errorf("What a call says is known to who asks: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff("DGD205,DGD313", codes.String()); diff != "" {
		t.Errorf("Codes are a list: -want, +got:\n%s", diff)
	}
	// Nobody asks in commands that run a function without a server.
	Refuse(t.Context(), Codes{rule.Labels})
}
