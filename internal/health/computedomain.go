package health

// computeDomain is ready as soon as it exists. Its status says nothing about the graph: with numNodes 0 it is Ready before any node takes
// part, and otherwise NotReady until the pods run, which would wait for the graph. The comment of the driver on this field advises
// workloads not to use it.
func computeDomain() Health { return ready() }

// usage is ready as soon as it exists, because it then protects the domain. Its condition Ready is False or missing until both the domain
// and the workload are found, and pods do not wait for that.
func usage() Health { return ready() }
