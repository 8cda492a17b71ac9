// Package limit holds what bounds a graph from outside.
package limit

import "fmt"

// Response is how many bytes the response of a function may have. Crossplane's client leaves it at gRPC's default, and
// nobody can set it.
// https://pkg.go.dev/google.golang.org/grpc#MaxCallRecvMsgSize
const Response = 4 << 20

// ResponseText is Response for people.
const ResponseText = "4 MiB"

// Units of sizes.
const (
	kibibyte = 1 << 10
	mebibyte = 1 << 20
)

// Format a number of bytes for people.
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
