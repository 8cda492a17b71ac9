package exposure

import (
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// defaultClusterDomain is the DNS domain of a cluster, unless its administrator has chosen another one.
const defaultClusterDomain = "cluster.local"

// clusterSetDomain is the DNS domain of Services that several clusters share, in each of them.
// https://github.com/kubernetes/enhancements/tree/master/keps/sig-multicluster/1645-multi-cluster-services-api
const clusterSetDomain = "clusterset.local"

// serviceLabel is the label of a domain below which all Services have their names.
// https://github.com/kubernetes/dns/blob/master/docs/specification.md
const serviceLabel = "svc"

// podLabel is the label of a domain below which pods have names that consist of their addresses.
const podLabel = "pod"

// mostLabelsOfShortName are those of a pod of a headless Service, without the domain of the cluster: pod, Service and namespace.
const mostLabelsOfShortName = 3

// Domains distinguish hosts outside the cluster from names inside it.
type Domains struct {
	// Cluster is the DNS domain of the cluster. Empty if it is not known. The name of a Service is then a name of the cluster in any domain.
	Cluster string

	// Platform are the domains below which the platform exposes hosts.
	Platform []string
}

// Inside says why a host is a name inside the cluster, as the predicate of a sentence. Whoever is routed to such a host can be a client of somebody
// else's Service, or of the API server. Empty if the host is outside.
//
// Pods complete short names with the domain of the cluster, so service.namespace is such a name, too. It cannot be distinguished from a host in
// a namespace that is called like a top-level domain, which counts as one.
func (d Domains) Inside(host string) string {
	const isService = "is the name of a Service, or of a pod"
	labels := strings.Split(host, ".")
	last := labels[len(labels)-1]
	switch {
	case IsBelow(host, defaultClusterDomain), IsBelow(host, clusterSetDomain), d.Cluster != "" && IsBelow(host, d.Cluster):
		return "is in the domain of the cluster"
	case last == serviceLabel, d.Cluster == "" && len(labels) > 2 && slices.Contains(labels[2:], serviceLabel):
		return isService
	case d.Cluster == "" && len(labels) > 2 && labels[2] == podLabel && isAddress(labels[0]):
		return isService
	case len(labels) == 1:
		return "is the name of a Service, because it has no dots"
	case slices.ContainsFunc(d.Platform, func(domain string) bool { return IsBelow(host, domain) }):
		return ""
	case len(labels) <= mostLabelsOfShortName && !isTopLevel(last):
		return isService + ", in namespace " + last
	default:
		return ""
	}
}

// isAddress reports whether a label is the address of a pod, with dashes in place of dots or colons.
func isAddress(label string) bool {
	for _, separator := range []string{".", ":"} {
		if _, err := netip.ParseAddr(strings.ReplaceAll(label, "-", separator)); err == nil {
			return true
		}
	}
	return false
}

// IsBelow reports whether a host is a domain, or below it.
func IsBelow(host, domain string) bool { return host == domain || strings.HasSuffix(host, "."+domain) }

// isTopLevel reports whether a label is a top-level domain of the internet, or one that private networks use.
// https://www.rfc-editor.org/rfc/rfc6762#appendix-G
func isTopLevel(label string) bool {
	private := []string{defaultHostSuffix, "corp", "home", "internal", "intranet", "lan", "private"}
	_, ofInternet := publicsuffix.PublicSuffix("host." + label)
	return ofInternet || slices.Contains(private, label)
}
