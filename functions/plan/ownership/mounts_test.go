package ownership_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/ownership"
)

// TestMounts mounts a claim in pods in all ways, and compares with what Kubernetes documents of access modes: pods of one node, or one pod, can mount
// a claim, if it has no mode for several nodes.
// https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes
func TestMounts(t *testing.T) {
	const volume = `"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"cache"}}],`
	modes := map[string]bool{
		`"ReadWriteOnce"`: true, `"ReadWriteOncePod"`: true, `"ReadWriteMany"`: false, `"ReadOnlyMany"`: false, `"ReadWriteOnce","ReadWriteMany"`: false, `"ReadOnlyMany","ReadWriteOnce"`: false,
	}
	shapes := map[string]struct {
		pods   int
		fields string
		more   string
	}{
		"one pod":          {pods: 1},
		"no pod":           {fields: `"replicas":0,`},
		"two replicas":     {pods: 2, fields: `"replicas":2,`},
		"two nodes":        {pods: 2, fields: `"multinode":{"nodeCount":2},`},
		"replicas of them": {pods: 6, fields: `"replicas":3,"multinode":{"nodeCount":2},`},
		"two components":   {pods: 2, more: `,{"name":"B","type":"worker","podTemplate":{"spec":{%s "containers":[{"name":"main","image":"i","command":["c"]}]}}}`},
	}
	places := map[string]string{
		"anywhere": "", "selected": `"nodeSelector":{"kubernetes.io/hostname":"a"},`,
		"beside": `"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname"}]}},`,
		"zone":   `"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"topology.kubernetes.io/zone"}]}},`,
	}
	for list, limited := range modes {
		for shape, s := range shapes {
			for place, fields := range places {
				pod, more := volume+fields, s.more
				if more != "" {
					more = fmt.Sprintf(more, pod)
				}
				spec := fmt.Sprintf(`{"components":[{"name":"A","type":"worker",%s"podTemplate":{"spec":{%s "containers":[{"name":"main","image":"i","command":["c"]}]}}}%s]}`, s.fields, pod, more)
				claim := plantest.WithObject("pvc-cache", `{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"cache"},"spec":{"accessModes":[`+list+`]}}`)
				outcome := ownership.Mounts(plantest.Facts(t, plantest.Request(plantest.GraphOf(spec), claim)))
				// A claim of one pod is that of one, wherever the others would be.
				wanted := limited && s.pods > 1 && (place == "anywhere" || place == "zone" || list == `"ReadWriteOncePod"`)
				if got := len(outcome.Warnings) == 1; got != wanted {
					t.Errorf("%s, %s, %s: want a warning %t, got %v", list, shape, place, wanted, outcome.Warnings)
				}
				for _, w := range outcome.Warnings {
					if !strings.Contains(w.String(), fmt.Sprintf("each of %d pods", s.pods)) {
						t.Errorf("%s, %s: want the number of pods, got %s", list, shape, w)
					}
				}
			}
		}
	}
}

// TestMountsOfComponents mounts claims as v1alpha1 does, and asks only for claims on which a warning depends.
func TestMountsOfComponents(t *testing.T) {
	cases := map[string]struct {
		reason   string
		spec     string
		options  []plantest.RequestOption
		want     string
		required []string
	}{
		"Own": {
			reason:   "The graph creates the claim, and says with which mode.",
			spec:     `{"pvcs":[{"name":"cache","create":true,"size":"1Gi","storageClass":"s","volumeAccessMode":"ReadWriteOnce"}],"services":{"A":{"componentType":"worker","replicas":2,"volumeMounts":[{"name":"cache","mountPoint":"/c"}]}}}`,
			want:     "spec.services[A].extraPodSpec.volumes: mount PersistentVolumeClaim cache with access mode ReadWriteOnce, and so does each of 2 pods of A, but only the pods of one node can mount it at a time; use a claim with access mode ReadWriteMany, or ReadOnlyMany if the pods only read",
			required: []string{"pvc-cache"},
		},
		"OfOnePod": {
			reason:   "A claim of one pod is not even mounted by pods of one node, and the live claim counts.",
			spec:     `{"pvcs":[{"name":"cache"}],"services":{"A":{"componentType":"worker","replicas":2,"volumeMounts":[{"name":"cache","mountPoint":"/c"}]}}}`,
			options:  []plantest.RequestOption{plantest.WithObject("pvc-cache", `{"spec":{"accessModes":["ReadWriteOncePod"]}}`)},
			want:     "but only one pod can mount it at a time",
			required: []string{"pvc-cache"},
		},
		"OfRole": {
			reason: "Only the pods of a role mount the claim, of which there are two in each replica.",
			spec: `{"components":[{"name":"A","type":"worker","replicas":3,"multinode":{"nodeCount":3},"roles":[
				{"name":"leader","podTemplate":{"spec":{"containers":[{"name":"main","image":"i"}]}}},
				{"name":"worker","podTemplate":{"spec":{"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"cache"}}],"containers":[{"name":"main","image":"i"}]}}}]}]}`,
			options:  []plantest.RequestOption{plantest.WithObject("pvc-cache", `{"spec":{"accessModes":["ReadWriteOnce"]}}`)},
			want:     "each of 6 pods of A",
			required: []string{"pvc-cache"},
		},
		"Unknown":   {reason: "Nothing is said of a claim that nobody knows.", spec: `{"services":{"A":{"componentType":"worker","replicas":2,"volumeMounts":[{"name":"cache","mountPoint":"/c"}]}}}`, required: []string{"pvc-cache"}},
		"One":       {reason: "One pod can mount all claims, so they are not looked up.", spec: `{"services":{"A":{"componentType":"worker","volumeMounts":[{"name":"cache","mountPoint":"/c"}]}}}`},
		"Ephemeral": {reason: "Each pod has a claim of its own.", spec: `{"services":{"A":{"componentType":"worker","replicas":2,"extraPodSpec":{"volumes":[{"name":"v","ephemeral":{"volumeClaimTemplate":{"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}}}]}}}}`},
		"NoName":    {reason: "A name that is none is refused, and looking it up would fail.", spec: `{"services":{"A":{"componentType":"worker","replicas":2,"volumeMounts":[{"name":"My_Cache","mountPoint":"/c"}]}}}`},
		"Many": {
			reason: "Nobody writes thousands of claims.",
			spec: `{"services":{"A":{"componentType":"worker","replicas":2,"volumeMounts":[` + strings.Join(func() (all []string) {
				for i := range 99 {
					all = append(all, fmt.Sprintf(`{"name":"c%02d","mountPoint":"/c%d"}`, i, i))
				}
				return all
			}(), ",") + `]}}}`,
			required: func() (all []string) {
				for i := range 32 {
					all = append(all, fmt.Sprintf("pvc-c%02d", i))
				}
				return all
			}(),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req, rsp := plantest.Request(plantest.GraphOf(tc.spec), tc.options...), &fnv1.RunFunctionResponse{}
			f := plantest.Facts(t, req)
			outcome := ownership.Mounts(f)
			if got := strings.Join(outcome.Warnings.Texts(f.Graph), "\n"); !strings.Contains(got, tc.want) || (got == "") != (tc.want == "") {
				t.Errorf("%s\nMounts(...): want %q, got %q", tc.reason, tc.want, got)
			}
			outcome.Requirements.Write(req, rsp)
			if got := slices.Sorted(maps.Keys(rsp.GetRequirements().GetResources())); !slices.Equal(got, tc.required) {
				t.Errorf("%s\nMounts(...): want requirements %v, got %v", tc.reason, tc.required, got)
			}
		})
	}
}
