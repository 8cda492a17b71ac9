package compatibility

import (
	"math"
	"regexp"
	"slices"
	"strconv"

	"github.com/crossplane/function-sdk-go/errors"
)

// numbered is a version as the products have them. Grove has release candidates of its pre-releases, which are older than these, although
// semantic versioning says the opposite.
var numbered = regexp.MustCompile(`^v?(\d+)\.(\d+)(?:\.(\d+))?(?:-alpha\.(\d+))?(?:-rc\.?(\d+))?$`)

// compare two versions of a product. The result is negative if the first one is older.
func compare(product Product, version, other string) (int, error) {
	a, err := numbersOf(product, version)
	if err != nil {
		return 0, err
	}
	b, err := numbersOf(product, other)
	if err != nil {
		return 0, err
	}
	return slices.Compare(a, b), nil
}

// numbersOf a version, by which it is ordered.
func numbersOf(product Product, version string) ([]int, error) {
	match := numbered.FindStringSubmatch(version)
	if match == nil {
		return nil, errors.Errorf("version %q of %s has another form than v1.2.3, v1.2.3-alpha.4 and v1.2.3-rc4", version, product)
	}
	numbers := make([]int, 0, len(match))
	for i, text := range match[1:] {
		switch {
		case text != "":
			number, err := strconv.Atoi(text)
			if err != nil {
				return nil, errors.Errorf("version %q of %s has a number that is too large: %w", version, product, err)
			}
			numbers = append(numbers, number)
		case i < 3:
			numbers = append(numbers, 0)
		default:
			// What has no pre-release is later than all that have one.
			numbers = append(numbers, math.MaxInt)
		}
	}
	// The DRA driver had the year and the month as its version, up to v25.12, before its releases were numbered from v0.4 on.
	const firstYear = 20
	epoch := 0
	if product == DRADriver && numbers[0] < firstYear {
		epoch = 1
	}
	return slices.Insert(numbers, 0, epoch), nil
}
