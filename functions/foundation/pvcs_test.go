package foundation

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestPVCs(t *testing.T) {
	const observed = `{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"cache","namespace":"inference","uid":"u","finalizers":["f"]},
		"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"5Gi"}},"storageClassName":"slow","volumeName":"pv","volumeMode":"Filesystem"},
		"status":{"phase":"Bound"}}`
	withObserved := func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionRequest {
		req.Observed.Resources = map[string]*fnv1.Resource{"pvc-cache": {Resource: resource.MustStructJSON(observed)}}
		return req
	}
	const (
		created = `{"pvcs":[{"name":"cache","create":true,"size":"10Gi","storageClass":"fast","volumeAccessMode":"ReadWriteMany"}],"services":{"S":{}}}`
		sparse  = `{"pvcs":[{"name":"cache","create":true,"size":"1Gi"}],"services":{"S":{}}}`
		named   = `{"pvcs":[{"name":"cache"}],"services":{"S":{}}}`
	)
	composed, none := steptest.OnGrove(t, steptest.Components("etcd", "S"), func(p *graphplan.Plan) { p.ComposedPVCs = []string{"cache"} }),
		steptest.OnGrove(t, steptest.Components("etcd", "S"))
	const composedClaim = `{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"cache","namespace":"inference"},
		"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"5Gi"}},"storageClassName":"slow"}}`
	compareParts(t, "pvc-", map[string]partCase{
		"Created": {
			reason: "A claim that belongs to the graph is composed as it is written.",
			req:    steptest.Request(created, composed),
			want: map[string]any{"pvc-cache": `{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"cache","namespace":"inference"},
				"spec":{"accessModes":["ReadWriteMany"],"resources":{"requests":{"storage":"10Gi"}},"storageClassName":"fast"}}`},
		},
		"SomebodyElses": {
			reason: "A claim that does not belong to the graph is never composed.",
			req:    steptest.Request(created, none),
			want:   map[string]any{},
		},
		"EntryGone": {
			reason: "A claim whose entry went away stays as it is: leaving it out would delete its data.",
			req:    withObserved(steptest.Request(`{"services":{"S":{}}}`, composed)),
			want:   map[string]any{"pvc-cache": composedClaim},
		},
		"CreateTakenBack": {
			reason: "A claim whose entry only names it, without a size, stays as it is.",
			req:    withObserved(steptest.Request(named, composed)),
			want:   map[string]any{"pvc-cache": composedClaim},
		},
		"EntryAndClaimGone": {
			reason: "A claim that does not exist any more cannot be kept.",
			req:    steptest.Request(`{"services":{"S":{}}}`, composed),
			want:   map[string]any{},
		},
		"Sparse": {
			reason: "What is left open is left to the cluster.",
			req:    steptest.Request(sparse, composed),
			want: map[string]any{"pvc-cache": `{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"cache","namespace":"inference"},
				"spec":{"resources":{"requests":{"storage":"1Gi"}}}}`},
		},
	})
}
