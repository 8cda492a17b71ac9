package mnnvl

import (
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// requireDriver for a new graph. Without the driver, the kind ComputeDomain does not exist, and pods that claim a channel do not start.
func (m *planner) requireDriver(mode graphplan.MNNVLMode, components []string) subject.Outcome {
	lacks := func(what string) *message.Message {
		return message.Because("multi-node NVLink is enabled (mnnvl.mode %s %s) for {{components}} %s, but %s; "+
			"install the NVIDIA DRA driver, v25.8 or later, opt out with annotation %s: %s, or let the platform set mnnvl.mode to Disabled",
			mode, m.platformSets(), strings.Join(components, ", "), what, metadata.AnnotationAutoMNNVL, disabled)
	}
	o := m.withoutDriver(lacks("API group resource.nvidia.com is not served by the cluster"))
	if len(o.Refusals) == 0 && !m.facts.HasChannels(&o.Requirements) {
		o.Refuse(subject.NotSupported, lacks("DeviceClass "+subject.ClassOfChannels+" does not exist"))
	}
	return o
}

// keepDriver refuses every change of a graph with domains while their API is not served, because Crossplane would drop its references to
// the domains.
func (m *planner) keepDriver() subject.Outcome {
	return m.withoutDriver(message.Because("the graph has an NVLink domain, but API group resource.nvidia.com is no longer served by the cluster; "+
		"nothing is changed until it is served again; to run the graph without a domain, delete and recreate it with annotation %s: %s",
		metadata.AnnotationAutoMNNVL, disabled))
}

// withoutDriver refuses the graph because of a problem, unless the driver is installed.
func (m *planner) withoutDriver(problem *message.Message) subject.Outcome {
	var o subject.Outcome
	if !m.facts.ServesComputeDomains(&o.Requirements) {
		o.Refuse(subject.NotSupported, problem)
	}
	return o
}
