package compatibility

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAllows(t *testing.T) {
	cases := map[string]struct {
		reason  string
		dynamo  string
		product Product
		version string
		want    bool
	}{
		"Earliest":      {reason: "A release works with the earliest version that is stated.", dynamo: "1.5", product: KAI, version: "v0.17.0", want: true},
		"Later":         {reason: "A release works with later versions.", dynamo: "1.5", product: Grove, version: "v0.1.0-alpha.14", want: true},
		"Older":         {reason: "A release does not work with versions before the earliest one.", dynamo: "1.5", product: Grove, version: "v0.1.0-alpha.12", want: false},
		"NotStated":     {reason: "Where nothing is stated of a release, what all releases need is enough.", dynamo: "1.3", product: Grove, version: "v0.1.0-alpha.6", want: true},
		"Any":           {reason: "What all releases need holds where nothing is stated of a release, too.", dynamo: "1.3", product: Grove, version: "v0.1.0-alpha.5", want: false},
		"Unlimited":     {reason: "A product of which nothing is stated is allowed in every version.", dynamo: "1.3", product: Kubernetes, version: "v1.2.0", want: true},
		"Candidate":     {reason: "A release candidate is stated for 1.6, and is enough.", dynamo: "1.6", product: Grove, version: "v0.1.0-alpha.14-rc1", want: true},
		"AfterIt":       {reason: "A pre-release is later than its own release candidates.", dynamo: "1.6", product: Grove, version: "v0.1.0-alpha.14", want: true},
		"BeforeIt":      {reason: "A pre-release is older than release candidates of the next one.", dynamo: "1.6", product: Grove, version: "v0.1.0-alpha.13", want: false},
		"AfterAllAlpha": {reason: "A release is later than all its pre-releases.", dynamo: "1.6", product: Grove, version: "v0.1.0", want: true},
		"Year":          {reason: "The DRA driver had the year as its version.", dynamo: "1.5", product: DRADriver, version: "v25.8.1", want: true},
		"OlderYear":     {reason: "Versions of the DRA driver with a year are ordered among themselves.", dynamo: "1.5", product: DRADriver, version: "v25.3.0", want: false},
		"AfterYears":    {reason: "The DRA driver is numbered from v0.4 on, after those with a year.", dynamo: "1.5", product: DRADriver, version: "v0.4.0", want: true},
		"WithoutV":      {reason: "Charts have versions without a v, and of two numbers.", dynamo: "1.5", product: Crossplane, version: "2.0", want: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			release, ok := Of(tc.dynamo)
			if !ok {
				t.Fatalf("%s\nnothing is known of release %s", tc.reason, tc.dynamo)
			}
			got, err := release.Allows(tc.product, tc.version)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n%s %s with release %s: -want, +got:\n%s", tc.reason, tc.product, tc.version, tc.dynamo, diff)
			}
		})
	}
}

func TestAllowsUnreadable(t *testing.T) {
	for _, version := range []string{"", "latest", "v1", "v1.2.3-beta.1", "v99999999999999999999.0.0"} {
		if _, err := Any().Allows(Grove, version); err == nil {
			t.Errorf("want an error for version %q", version)
		}
	}
}

// TestReleases checks that the table can be read: it is ordered, has no product or version that nothing knows, and a newer release never
// needs an older version.
func TestReleases(t *testing.T) {
	if _, ok := Of(Recommended); !ok {
		t.Errorf("release %s is recommended, and nothing is known of it", Recommended)
	}
	before := Any()
	for _, release := range Releases() {
		if order, err := compare("Dynamo", before.Dynamo, release.Dynamo); before.Dynamo != "" && (err != nil || order >= 0) {
			t.Errorf("want release %s before %s: %v", release.Dynamo, before.Dynamo, err)
		}
		for product, earliest := range release.Earliest {
			if !slices.Contains(Products(), product) {
				t.Errorf("release %s needs %s, which is not among the products", release.Dynamo, product)
			}
			if allowed, err := before.Allows(product, earliest); err != nil || !allowed {
				t.Errorf("release %s needs %s %s, which is older than what the release before it needs: %v", release.Dynamo, product, earliest, err)
			}
		}
		before = release
	}
}

func TestOlder(t *testing.T) {
	cases := map[string]struct {
		reason        string
		version, than string
		want, fails   bool
	}{
		"Older":      {reason: "A version is older than later ones.", version: "v0.16.8", than: "v0.17.0", want: true},
		"Same":       {reason: "A version is not older than itself.", version: "0.17", than: "v0.17.0", want: false},
		"Later":      {reason: "A version is not older than earlier ones.", version: "v0.20.1", than: "v0.17.0", want: false},
		"Candidate":  {reason: "A candidate is older than its release.", version: "v0.17.0-rc1", than: "v0.17.0", want: true},
		"Unreadable": {reason: "What is no version cannot be compared.", version: "main", than: "v0.17.0", fails: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Older(KAI, tc.version, tc.than)
			if got != tc.want || (err != nil) != tc.fails {
				t.Errorf("%s\nOlder(%s, %s): want %t, got %t, %v", tc.reason, tc.version, tc.than, tc.want, got, err)
			}
		})
	}
}
