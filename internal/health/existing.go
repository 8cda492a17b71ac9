package health

// existing is ready because it exists: it has no status, such as a ConfigMap, or a status for which no pod waits, such as the addresses of
// a Service or an Ingress, which are never set in a cluster without a load balancer.
func existing() Health { return ready() }
