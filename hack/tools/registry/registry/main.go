// Registry serves images from memory to whoever has its password, which is the value of REGISTRY_PASSWORD, with any name of a user. It appends the
// digest of each manifest that is pushed to a file.
package main

import (
	"crypto/subtle"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
)

// headersTimeout limits how long a client may take to send its headers.
const headersTimeout = 10 * time.Second

func main() {
	address := flag.String("address", "", "where to listen, such as 127.0.0.1:5000")
	pushed := flag.String("pushed", "", "the file for digests of manifests that are pushed")
	flag.Parse()
	if err := serve(*address, *pushed, os.Getenv("REGISTRY_PASSWORD")); err != nil {
		fmt.Fprintln(os.Stderr, "registry:", err)
		os.Exit(1)
	}
}

func serve(address, pushed, password string) error {
	if address == "" || pushed == "" || password == "" {
		return fmt.Errorf("set -address, -pushed and REGISTRY_PASSWORD")
	}
	digests, err := os.OpenFile(pushed, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("cannot write digests: %w", err)
	}
	images := registry.New()
	server := &http.Server{Addr: address, ReadHeaderTimeout: headersTimeout, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, given, _ := r.BasicAuth(); subtle.ConstantTimeCompare([]byte(given), []byte(password)) != 1 {
			w.Header().Set("WWW-Authenticate", `Basic realm="registry"`)
			http.Error(w, "the password is missing or wrong", http.StatusUnauthorized)
			return
		}
		images.ServeHTTP(w, r)
		// A manifest has all else by its digest. It has one here once it is stored.
		if digest := w.Header().Get("Docker-Content-Digest"); r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/manifests/") && digest != "" {
			_, _ = fmt.Fprintln(digests, digest)
		}
	})}
	return server.ListenAndServe()
}
