// Program generate writes manifests and pages that follow from tables in the code, into the repository in the current folder.
package main

import (
	"fmt"
	"os"

	"github.com/crossplane/function-sdk-go/errors"
)

func main() {
	err := errors.Join(
		writePolicies("package/admission"),
		writeKinds("package/rbac.yaml", "package/tenants.yaml", "docs/tenancy.md"),
		os.WriteFile("docs/dynamo-releases.md", []byte(releasesPage()), 0o600),
	)
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}
