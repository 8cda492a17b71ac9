package compatibility

// Set by hack/package.sh: the version that the packages of the functions depend on each other by, and a digest of the source of the
// binary, the same for all architectures.
//
//nolint:gochecknoglobals // The linker sets variables only.
var version, source string

// Development is the release of a binary that hack/package.sh has not built. All such binaries compare equal.
const Development = "development"

// Page of the documentation, with a heading or without.
func Page(name string) string {
	return "https://github.com/dynamo-crossplane/configuration-dynamo/blob/main/docs/" + name
}

// Build release: its version, and the digest of its source as build metadata. Builds of one commit are of one release.
func Build() string {
	if version == "" {
		return Development
	}
	return version + "+" + source
}
