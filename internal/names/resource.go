package names

// A Resource is the key under which Crossplane tracks a composed resource.
type Resource string
