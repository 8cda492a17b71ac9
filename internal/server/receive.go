package server

import (
	"github.com/crossplane/function-sdk-go/errors"
)

// DefaultReceive is the size of the largest message that a function receives unless it is told otherwise, in megabytes. It is enough for every
// graph that Crossplane accepts. gRPC's own limit is too small: a request holds the objects of a graph as they should be and as they are, so a
// graph whose response Crossplane receives could be created, and from then on not be reconciled.
const DefaultReceive = 16

const (
	// megabyte in bytes, as gRPC's own limit of 4 MB counts it.
	megabyte = 1 << 20

	// mostReceive is the most that a message may be allowed to have. Decoded it takes many times as much memory.
	mostReceive = 1024
)

// ReceiveLimit is the size of the largest message that a function receives, in bytes. It fails if the number of megabytes is out of range,
// whether it came as a flag or from the environment.
func ReceiveLimit(megabytes int) (int, error) {
	if megabytes < 1 || megabytes > mostReceive {
		return 0, errors.Errorf("--max-recv-message-size (MAX_RECV_MESSAGE_SIZE) is %d, but must be between 1 and %d MB", megabytes, mostReceive)
	}
	return megabytes * megabyte, nil
}
