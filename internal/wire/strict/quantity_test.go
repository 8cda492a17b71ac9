package strict

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
)

// TestQuantityMeant writes amounts of bytes as people do, in all units. What is asked for has to be a quantity of that size.
func TestQuantityMeant(t *testing.T) {
	decimal, binary := int64(1), int64(1)
	for _, unit := range []string{"k", "m", "g", "t", "p"} {
		decimal, binary = decimal*1000, binary*1024
		for _, space := range []string{"", " "} {
			for _, infix := range []string{"", "i"} {
				for _, bytes := range []string{"b", "B", ""} {
					for _, written := range []string{unit, strings.ToUpper(unit)} {
						text := "3" + space + written + infix + bytes
						if _, ok := Quantity(strings.ReplaceAll(text, " ", "")); ok {
							continue
						}
						want := []int64{3 * decimal, 3 * binary}
						if infix != "" {
							want = want[1:]
						}
						var sizes []int64
						for guess := range strings.SplitSeq(strings.TrimSuffix(strings.TrimPrefix(quantityMeant(text), "; did you mean "), "?"), " or ") {
							if q, err := resource.ParseQuantity(guess); err == nil {
								sizes = append(sizes, q.Value())
							}
						}
						if fmt.Sprint(sizes) != fmt.Sprint(want) {
							t.Errorf("quantityMeant(%q): want quantities of %d bytes, got %q", text, want, quantityMeant(text))
						}
					}
				}
			}
		}
	}
	for text, want := range map[string]string{
		"16 Gi": "; did you mean 16Gi?", "500 m": "; did you mean 500m?", " 4 ": "; did you mean 4?", "1.5 TB": "; did you mean 1.5T or 1.5Ti?",
		"": "", "lots": "", "8 cores": "", "1.2.3GB": "", strings.Repeat("9", 80) + "GB": "",
	} {
		if got := quantityMeant(text); got != want {
			t.Errorf("quantityMeant(%q): want %q, got %q", text, want, got)
		}
	}
}
