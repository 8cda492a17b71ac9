package main

import (
	"context"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/doctor"
)

// doctorCommand checks a cluster.
type doctorCommand struct {
	Namespace string `help:"Namespace in which you work with graphs. Without this flag: the namespace of the context." placeholder:"NAME" short:"n"`

	kubectlFlags

	Output string `default:"text"                                                                                                enum:"text,json"   help:"The format: text or json." short:"o"`
}

// Help with examples.
func (*doctorCommand) Help() string {
	return `Each check ends as ok, warning, problem or skipped, with the remedy below it. A problem has to be solved. A warning concerns
some graphs only. The command checks the versions that the recommended release of Dynamo needs, and looks for obstacles: the Dynamo
operator and its webhooks, a queue that does not exist, or a scheduler that takes gangs apart. After the installation, it also checks the
definition of graphs, the packages, the policy of the platform, and the permissions of Crossplane. It skips these checks as long as there is
no CompositeResourceDefinition of graphs, and no Configuration or Function of this project.

The command only reads the cluster, with the permissions of your kubectl. It skips what you may not read, and says so. It also asks the API
server what Crossplane, the pod grouper of KAI and you may do. The API server stores nothing of these questions.

The exit status is 1 if there is a problem, and 2 if the cluster cannot be read.

Examples:

  {program} doctor
  {program} doctor --output=json | jq -r '.findings[] | select(.state == "problem").check'
`
}

// Run the command.
func (c *doctorCommand) Run(ctx context.Context, std streams) error {
	facts, err := doctor.Collect(c.live(ctx), c.Namespace)
	if err != nil {
		return usageError{err}
	}
	report := doctor.Examine(facts)
	if err := report.Write(std.out, c.Output); err != nil {
		return err
	}
	if report.Has(doctor.Problem) {
		return exitError(exitRefused)
	}
	return nil
}
