package plantest

import (
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
)

// MultinodeSet is the PodCliqueSet of a frontend and a worker of three nodes, with these constraints.
func MultinodeSet(ofGraph, ofWorker *grovev1alpha1.TopologyConstraint) *grovev1alpha1.PodCliqueSet {
	set := PodCliqueSet(Clique("frontend"), Clique("worker-ldr"), Clique("worker-wkr", func(c *grovev1alpha1.Clique) {
		c.Spec.Replicas, c.Spec.MinAvailable = 2, 2
	}))
	set.Spec.Template.TopologyConstraint = ofGraph
	set.Spec.Template.ScalingGroups = []grovev1alpha1.ScalingGroup{
		{Name: "worker", CliqueNames: []string{"worker-ldr", "worker-wkr"}, Replicas: 3, MinAvailable: 2, TopologyConstraint: ofWorker},
	}
	return set
}

// MultinodeGraph is the graph of MultinodeSet.
func MultinodeGraph(xr *v1alpha1.DynamoGraphDeployment) {
	InTopology("my-topology", "zone")(xr)
	xr.Spec.Services = map[string]v1alpha1.Service{"Frontend": {}, "Worker": {
		Replicas: new(int32(3)), MinAvailable: new(int32(2)), Multinode: &v1alpha1.Multinode{NodeCount: 3},
		TopologyConstraint: &v1alpha1.TopologyConstraint{PackDomain: "rack"},
	}}
}
