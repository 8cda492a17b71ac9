// Package resource contains the names of composed resources.
//
// The type is that of package resource of function-sdk-go, which is not imported: because of two assertions it depends on a Kubernetes
// client and the types of all APIs. They would be a third of the binary, and 10 MB of the memory of each function.
// https://github.com/crossplane/function-sdk-go/blob/v0.7.1/resource/composed/composed.go#L129
package resource

// A Name is the key under which Crossplane tracks a composed resource.
type Name string
