package health

// computeDomain is ready as soon as it exists. Its status says nothing of the graph: with numNodes 0 it is Ready before any
// node takes part, and otherwise NotReady until the pods run, for which the graph would wait in turn. The driver's own
// comment on the field warns workloads off it.
func computeDomain() Health { return ready() }

// usage is ready as soon as it exists: its deletion is already held up then. Its condition Ready is False, or missing, until
// both the domain and the workload are found, and pods do not wait for that.
func usage() Health { return ready() }
