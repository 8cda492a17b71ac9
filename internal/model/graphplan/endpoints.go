package graphplan

import "k8s.io/apimachinery/pkg/util/intstr"

// Endpoints are the pods of a component that get requests. They fit the pods that run as well as those that will.
type Endpoints struct {
	// FirstNodeOnly says that only the first node of a replica gets requests.
	FirstNodeOnly bool `json:"firstNodeOnly,omitempty"`

	// Port of the pods: its name, or its number if not all of them have it under its name.
	Port intstr.IntOrString `json:"port"`

	// Number of the port. 0 means that pods differ.
	Number int32 `json:"number,omitempty"`
}

// Pool are the pods among which an Endpoint Picker chooses, and the port of their frontends.
type Pool struct {
	Selector map[string]string `json:"selector"`
	Port     int32             `json:"port"`
}
