package response

import "fmt"

// MaxSize is the maximum size of the response of a function in bytes. Crossplane's client uses the default of gRPC, which cannot be
// configured.
// https://pkg.go.dev/google.golang.org/grpc#MaxCallRecvMsgSize
const MaxSize = 4 << 20

// MaxSizeText is MaxSize in messages.
const MaxSizeText = "4 MiB"

// Units of sizes.
const (
	kibibyte = 1 << 10
	mebibyte = 1 << 20
)

// FormatSize a number of bytes for messages.
func FormatSize(bytes int64) string {
	switch {
	case bytes >= mebibyte:
		return fmt.Sprintf("%.2f MiB", float64(bytes)/mebibyte)
	case bytes >= kibibyte:
		return fmt.Sprintf("%.1f KiB", float64(bytes)/kibibyte)
	default:
		return fmt.Sprintf("%d bytes", bytes)
	}
}
