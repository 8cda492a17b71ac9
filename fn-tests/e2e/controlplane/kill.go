package controlplane

import (
	"context"
	"fmt"
)

// Programs of the control plane that can be killed, beside the functions.
const (
	Etcd              = "etcd"
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller-manager"
	Crossplane        = "crossplane"
)

// A check of a program is an error until it serves. Not every program has one.
type check func(context.Context) error

// Kill a program of the control plane and start it again with its arguments, and so with its ports and its data, until it is ready.
// One that ends because another is not up is started again, as a kubelet would.
func (c *ControlPlane) Kill(ctx context.Context, name string) error {
	process := c.Named(name)
	if process == nil {
		return fmt.Errorf("there is no program %s", name)
	}
	process.Kill()
	return await(ctx, name+" to be ready again", nil, func(ctx context.Context) error {
		if process.Ended() {
			again, err := c.start(process.program)
			if err != nil {
				return err
			}
			process = again
		}
		if process.program.ready == nil {
			return nil
		}
		return process.program.ready(ctx)
	})
}
