// Package compatibility knows with which versions of other products each release of Dynamo works.
package compatibility

import (
	"slices"
)

// Product that graphs run on.
type Product string

// The products, by the names that their projects have given them.
const (
	Crossplane      Product = "Crossplane"
	Kubernetes      Product = "Kubernetes"
	Grove           Product = "Grove"
	KAI             Product = "KAI"
	LeaderWorkerSet Product = "LeaderWorkerSet"
	Volcano         Product = "Volcano"
	DRADriver       Product = "NVIDIA DRA driver"
	Snapshot        Product = "Snapshot operator"
)

// Products in the order in which a table has them.
func Products() []Product {
	return []Product{Crossplane, Kubernetes, Grove, KAI, LeaderWorkerSet, Volcano, DRADriver, Snapshot}
}

// Recommended is the minor release of Dynamo that the commands in docs/install.md install the other products for.
const Recommended = "1.5"

// Release of Dynamo, and what works with it.
type Release struct {
	// Dynamo is a minor release, such as 1.5.
	Dynamo string

	// Earliest versions of products, as far as a source states them.
	Earliest map[Product]string

	// Values that the Helm charts of products need.
	Values map[Product]string
}

// Any is what graphs need with every release of Dynamo: what the functions write is right for these versions and all later ones.
func Any() Release {
	return Release{Earliest: map[Product]string{
		Crossplane:      "v2.0.0",
		Grove:           "v0.1.0-alpha.6",
		KAI:             "v0.12.0",
		LeaderWorkerSet: "v0.9.0",
		Volcano:         "v1.12.0",
		DRADriver:       "v25.8.0",
		Snapshot:        "v0.1.0-alpha.1",
	}}
}

// Releases of Dynamo, the oldest first. Of Grove and KAI, NVIDIA states the earliest versions for some releases only; that of the Snapshot
// operator is in the notes of release 1.5.0, since which it is no longer part of Dynamo.
// https://github.com/ai-dynamo/dynamo/blob/main/docs/fern/pages/kubernetes/guides/multinode.mdx
// https://docs.nvidia.com/dynamo/v1.5.1/kubernetes/installation/multinode-orchestration.md
func Releases() []Release {
	// Grove decides when a gang has failed. KAI would remove the pods of a gang that lacks one after a minute.
	stale := map[Product]string{KAI: "scheduler.args.default-staleness-grace-period=-1s"}
	return []Release{
		{Dynamo: "1.0", Earliest: map[Product]string{Grove: "v0.1.0-alpha.6", KAI: "v0.13.0"}},
		{Dynamo: "1.1", Earliest: map[Product]string{Grove: "v0.1.0-alpha.8", KAI: "v0.13.4"}},
		{Dynamo: "1.2"},
		{Dynamo: "1.3"},
		{Dynamo: "1.4"},
		{
			Dynamo:   "1.5",
			Earliest: map[Product]string{Kubernetes: "v1.30.0", Grove: "v0.1.0-alpha.13", KAI: "v0.17.0", Snapshot: "v0.1.0"},
			Values:   stale,
		},
		{
			Dynamo:   "1.6",
			Earliest: map[Product]string{Kubernetes: "v1.30.0", Grove: "v0.1.0-alpha.14-rc1", KAI: "v0.17.0", Snapshot: "v0.1.0"},
			Values:   stale,
		},
	}
}

// Of a minor release of Dynamo. false: nothing is known of it.
func Of(dynamo string) (Release, bool) {
	releases := Releases()
	i := slices.IndexFunc(releases, func(r Release) bool { return r.Dynamo == dynamo })
	if i < 0 {
		return Release{}, false
	}
	return releases[i], true
}

// Allows reports whether a version of a product works with a release, as far as it is known.
func (r Release) Allows(product Product, version string) (bool, error) {
	for _, earliest := range []string{Any().Earliest[product], r.Earliest[product]} {
		if earliest == "" {
			continue
		}
		order, err := compare(product, version, earliest)
		if err != nil || order < 0 {
			return false, err
		}
	}
	return true, nil
}

// Older reports whether a version of a product is older than another one.
func Older(product Product, version, than string) (bool, error) {
	order, err := compare(product, version, than)
	return order < 0, err
}
