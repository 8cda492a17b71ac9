// Package limit contains the external limits of a graph.
package limit

import "fmt"

// Response is the maximum size of the response of a function in bytes. Crossplane's client uses the default of gRPC, which cannot be
// configured.
// https://pkg.go.dev/google.golang.org/grpc#MaxCallRecvMsgSize
const Response = 4 << 20

// ResponseText is Response in messages.
const ResponseText = "4 MiB"

// Units of sizes.
const (
	kibibyte = 1 << 10
	mebibyte = 1 << 20
)

// Format a number of bytes for messages.
func Format(bytes int64) string {
	switch {
	case bytes >= mebibyte:
		return fmt.Sprintf("%.2f MiB", float64(bytes)/mebibyte)
	case bytes >= kibibyte:
		return fmt.Sprintf("%.1f KiB", float64(bytes)/kibibyte)
	default:
		return fmt.Sprintf("%d bytes", bytes)
	}
}
