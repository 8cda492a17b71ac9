package runtime

import (
	"fmt"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
)

// TestProducts checks that the versions of other products are known of each minor release that pods are built for: a rule for another release
// needs a row for it.
func TestProducts(t *testing.T) {
	versions := []Version{NewestWithRules(), Assumed}
	for _, c := range Changes() {
		versions = append(versions, c.From, c.Until)
	}
	for _, v := range versions {
		numbers := v.numbers()
		minor := fmt.Sprintf("%d.%d", numbers[0], numbers[1])
		if _, ok := compatibility.Of(minor); !ok {
			t.Errorf("there are rules for release %s, and no row for %s in package compatibility", v, minor)
		}
	}
}
