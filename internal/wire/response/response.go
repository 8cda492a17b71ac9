// Package response creates responses and adds results to them.
//
// It replaces package response of function-sdk-go, for the same reason as package resource.
package response

import (
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// To a request: a response with its desired state and context.
func To(req *fnv1.RunFunctionRequest, ttl time.Duration) *fnv1.RunFunctionResponse {
	return &fnv1.RunFunctionResponse{
		Meta:    &fnv1.ResponseMeta{Tag: req.GetMeta().GetTag(), Ttl: durationpb.New(ttl)},
		Desired: req.GetDesired(),
		Context: req.GetContext(),
	}
}

// Fatal adds a result that ends the pipeline. Crossplane does not report it on a claim.
func Fatal(rsp *fnv1.RunFunctionResponse, err error) {
	rsp.Results = append(rsp.Results, &fnv1.Result{
		Severity: fnv1.Severity_SEVERITY_FATAL,
		Message:  err.Error(),
		Target:   fnv1.Target_TARGET_COMPOSITE.Enum(),
	})
}

// Warning adds a result that becomes an event of type Warning of the composite resource and, if there is one, of the claim.
func Warning(rsp *fnv1.RunFunctionResponse, reason, message string) {
	add(rsp, fnv1.Severity_SEVERITY_WARNING, reason, message)
}

// Normal adds a result that becomes an event of type Normal of the composite resource and, if there is one, of the claim.
func Normal(rsp *fnv1.RunFunctionResponse, reason, message string) {
	add(rsp, fnv1.Severity_SEVERITY_NORMAL, reason, message)
}

func add(rsp *fnv1.RunFunctionResponse, severity fnv1.Severity, reason, message string) {
	rsp.Results = append(rsp.Results, &fnv1.Result{
		Severity: severity,
		Message:  message,
		Reason:   &reason,
		Target:   fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum(),
	})
}
