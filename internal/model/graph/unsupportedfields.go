package graph

// UnsupportedField is a field of components that somebody else knows.
type UnsupportedField struct {
	// Name of the field, and KnownTo who knows it.
	Name, KnownTo string

	// Reason why it does not exist here, and Remedy: what to do instead.
	Reason, Remedy string
}

// UnsupportedFields are the fields of components that manifests have and that do not exist here, sorted by name.
// https://github.com/ai-dynamo/dynamo/blob/main/docs/fern/pages/reference/kubernetes-api/dynamo-component-deployment.mdx
func UnsupportedFields() []UnsupportedField {
	return []UnsupportedField{
		{
			Name: "device", KnownTo: "an example for HAMi of Dynamo's repository, and no release of the Dynamo operator",
			Reason: "no release of Dynamo has the field",
			Remedy: "set its resources in the main container, and its schedulerName, nodeSelector and tolerations in the pod",
		},
		{
			Name: "engineGroup", KnownTo: "a development branch of the Dynamo operator",
			Reason: "no release of Dynamo has the field, whose controller changes the size of a running engine",
			Remedy: "set replicas, with a scaling adapter or an autoscaler if they change",
		},
		{
			Name: "lpx", KnownTo: "Dynamo 1.6, as an experiment that the platform has to enable",
			Reason: lpxReason, Remedy: lpxRemedy,
		},
	}
}

const (
	lpxReason = "pods on LPUs follow from a compiled model in a registry and from a scheduler of their own, which a controller of the Dynamo operator reads and watches"
	lpxRemedy = "run graphs with type lpx under the Dynamo operator"
)

// UnsupportedLPX is why components of type lpx are refused, with the remedy.
const UnsupportedLPX = lpxReason + "; " + lpxRemedy
