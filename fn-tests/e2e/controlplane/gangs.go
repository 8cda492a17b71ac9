package controlplane

import (
	"context"
	"strings"
	"time"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/kubelet"
)

// ofGangs is what the names of the programs of the Kubernetes that schedules gangs end with, as hack/tools builds them.
const ofGangs = "-v1.37"

// schedulerUser is Kubernetes' own scheduler, whose permissions the API server makes.
func schedulerUser() user {
	return user{"scheduler", "system:kube-scheduler", []string{"system:authenticated"}}
}

// useGangs builds the programs of the Kubernetes that schedules gangs, if gates are turned on, and uses them.
func (c *ControlPlane) useGangs(ctx context.Context) error {
	if len(c.options.Gates) == 0 {
		return nil
	}
	for _, name := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler"} {
		built, err := buildTools(ctx, c.options.Root, name+ofGangs)
		if err != nil {
			return err
		}
		c.tools[name] = built[name+ofGangs]
	}
	return nil
}

// gangFlags turn on the gates, if there are any, with these flags beside them.
func (c *ControlPlane) gangFlags(flags ...string) []string {
	if len(c.options.Gates) == 0 {
		return nil
	}
	return append(flags, "--feature-gates="+strings.Join(c.options.Gates, "=true,")+"=true")
}

// gangControllers are the controllers of gangs, for the end of a list. Without theirs, PodGroups would never go.
func (c *ControlPlane) gangControllers() string {
	if len(c.options.Gates) == 0 {
		return ""
	}
	return ",podgroup-protection-controller"
}

// Racks of the clusters on which gangs are scheduled, and nodes in each.
const (
	gangRacks        = 2
	gangNodesPerRack = 2
)

// Beside says what decides about pods beside the scheduler of Kubernetes.
type Beside string

// What may be there.
const (
	Nothing Beside = ""
	Volcano Beside = "Volcano"
	Kueue   Beside = "Kueue"
)

// StartGangs is StartWorkloads on few nodes, with what decides there: the scheduler of Kubernetes, which runs with its own flags and
// permissions, and Volcano or Kueue if the cluster has it.
func (c *ControlPlane) StartGangs(ctx context.Context, start, stop time.Duration, gpus int64, beside Beside) (*Workloads, error) {
	programs := []func(context.Context) (*Process, error){c.startWorkloadControllers, c.startOwnScheduler, c.startLWS}
	switch beside {
	case Nothing:
	case Kueue:
		programs = append(programs, c.startKueue)
	case Volcano:
		if err := c.installVolcano(ctx); err != nil {
			return &Workloads{controlPlane: c, stop: func() {}}, err
		}
		programs = append(programs, c.startVolcano, c.startVolcanoControllers)
	}
	return c.startWorkloads(ctx, kubelet.Options{Nodes: nodes(gangRacks, gangNodesPerRack, gpus), Start: start, Stop: stop}, programs...)
}

// startOwnScheduler starts Kubernetes' scheduler as a cluster does.
func (c *ControlPlane) startOwnScheduler(context.Context) (*Process, error) {
	return c.start(program{name: "kube-scheduler", path: c.tools["kube-scheduler"], args: append([]string{
		"--kubeconfig=" + c.kubeconfig(schedulerUser()), "--leader-elect=false", "--secure-port=0",
	}, c.gangFlags()...)})
}
