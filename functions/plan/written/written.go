// Package written hashes what the user of a graph has written for the pods of each service. As long as the hash of a service is
// the same, its user has not changed its pods, whatever the rules of this project, the input of the platform and the cluster
// say now.
package written

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

// Format of what is hashed. It is part of each hash, so that no hash of another format is ever equal. Hashes are stored in
// clusters: a release that raises the format has to compute the hashes of the one before as well, to compare them with those
// that it finds, or all pods of all graphs are replaced when it is installed. A field that is added and left out where it says
// nothing does not change the hashes of graphs without it, and needs no other format.
const Format = 1

// length of a hash in bytes; it is written in twice as many hexadecimal digits.
const length = 8

// room is how many bytes there are for a component before more memory is asked for.
const room = 4 << 10

// Hash of what the user has written for the pods of each service, by service. Some requests take effect later than they are made:
// a restart, which reaches one service after the other, and a queue, which must exist first. Of those the hash has what the plan
// has decided, so that it changes when the pods do.
func Hash(g *graph.Graph, p *graphplan.Plan) (map[string]string, error) {
	return writer{graph: g, plan: p}.hash(g.ServiceNames())
}

// HashOf is Hash of some services.
func HashOf(g *graph.Graph, p *graphplan.Plan, services []string) (map[string]string, error) {
	return writer{graph: g, plan: p}.hash(services)
}

// HashAt is Hash of some services as if each had been restarted last with the id in restarts. Empty, or no entry: it never was.
func HashAt(g *graph.Graph, p *graphplan.Plan, services []string, restarts map[string]string) (map[string]string, error) {
	return writer{graph: g, plan: p, restarts: restarts, restarted: true}.hash(services)
}

// hash some services.
func (w writer) hash(services []string) (map[string]string, error) {
	hashes := make(map[string]string, len(services))
	// One of each for all services: a component is large.
	c, buffer := new(component), make([]byte, 0, room)
	for _, name := range services {
		*c = w.component(name)
		var err error
		if buffer, err = strict.AppendCanonical(buffer[:0], c); err != nil {
			return nil, errors.Wrapf(err, "cannot hash what is written for service %s", name)
		}
		sum := sha256.Sum256(buffer)
		hashes[name] = hex.EncodeToString(sum[:length])
	}
	return hashes, nil
}
