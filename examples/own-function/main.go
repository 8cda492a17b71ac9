// Own-function is an example of a function of a platform between the steps of configuration-dynamo-chain: it gives each frontend of a graph
// a PodDisruptionBudget. See docs/extending.md.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/crossplane/function-sdk-go"
)

func main() {
	// The flags that Crossplane's package runtime and its render command use, with the defaults of the SDK.
	certificates := flag.String("tls-certs-dir", os.Getenv("TLS_SERVER_CERTS_DIR"), "The directory with the server's certificates.")
	address := flag.String("address", ":9443", "The address to listen on.")
	insecure := flag.Bool("insecure", false, "Serve without certificates, for previews.")
	flag.Parse()
	err := function.Serve(&budgets{}, function.Listen("tcp", *address), function.MTLSCertificates(*certificates), function.Insecure(*insecure))
	if err != nil {
		fmt.Fprintln(os.Stderr, "cannot serve:", err)
		os.Exit(1)
	}
}
