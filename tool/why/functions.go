package why

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// labelFunction on the pods of a function is its name.
// https://github.com/crossplane/crossplane/blob/v2.4.0/apis/pkg/v1/interfaces.go
const labelFunction = "pkg.crossplane.io/function"

// functions adds the names of functions of this project without a ready pod, if Crossplane has not looked at the latest change of the graph. Most
// users may not read them, and miss nothing while the graph is reconciled.
func (c *collector) functions() error {
	if len(conditionsOf(c.facts.Graph).Status.Conditions) > 0 && isObserved(c.facts.Graph) {
		return nil
	}
	functions, err := c.reader.Get(preview.Query{APIVersion: "pkg.crossplane.io/v1", Kind: "Function"})
	if err != nil {
		return unlessForbidden(err)
	}
	pods, err := c.reader.Get(preview.Query{APIVersion: "v1", Kind: kindPod, Labels: labelFunction})
	if err != nil {
		return unlessForbidden(err)
	}
	ready := map[string]bool{}
	for i := range pods {
		if p, ok := podOf(&pods[i]); ok && p.isReady() {
			ready[p.Labels[labelFunction]] = true
		}
	}
	for i := range functions {
		if name := functions[i].GetName(); strings.Contains(name, "function-dynamo-") && !ready[name] {
			c.facts.Idle = append(c.facts.Idle, name)
		}
	}
	slices.Sort(c.facts.Idle)
	return nil
}

// unlessForbidden is an error other than that the user may not read something.
func unlessForbidden(err error) error {
	if _, is := preview.IsForbidden(err); is {
		return nil
	}
	return err
}

// notReconciled is a graph at which Crossplane has not looked, with the functions that keep it from that.
func (d *Diagnosis) notReconciled(idle []string) (next, message string) {
	message = "Crossplane has not looked at the latest change of the graph yet"
	switch {
	case len(d.Conditions) == 0:
		message = "Crossplane has not looked at the graph yet: it has no conditions"
		next = "get configurations.pkg.crossplane.io,functions.pkg.crossplane.io --namespace=crossplane-system"
	case d.seen > 0:
		message += fmt.Sprintf(": its conditions are of generation %d, and its generation is %d", d.seen, d.generation)
	}
	if len(idle) > 0 {
		message += ". No pod of function " + strings.Join(idle, ", ") + " is ready. When a pod is ready, Crossplane may take minutes to try again"
		next = "get pods --selector=" + labelFunction + "=" + idle[0] + " --namespace=crossplane-system"
	}
	return next, message
}
