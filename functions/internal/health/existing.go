package health

// existing is ready because it exists: it has no status, as a ConfigMap, or one that no pod waits for, as the addresses of
// a Service or of an Ingress, which a cluster without a load balancer never fills in.
func existing() Health { return ready() }
