package pods

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestForeignWarnings(t *testing.T) {
	const (
		at = "spec.services[S].extraPodSpec."
		// spec of a service over two nodes, in JSON, in which what is in its pods can be set.
		before = `{"services":{"S":{"componentType":"worker","multinode":{"nodeCount":2},"extraPodSpec":{`
		alone  = `{"services":{"S":{"componentType":"worker","extraPodSpec":{`
		after  = `}}}}`
	)
	cases := map[string]struct {
		reason       string
		spec         string
		orchestrator graphplan.Orchestrator
		want         []string
	}{
		"LWSOnGrove": {
			reason:       "Grove has other variables, which are named with their values.",
			spec:         before + `"mainContainer":{"command":["sh","-c","serve --nnodes $LWS_GROUP_SIZE --rank $LWS_WORKER_INDEX --leader $LWS_LEADER_ADDRESS"]}` + after,
			orchestrator: graphplan.Grove,
			want: []string{at + "mainContainer: the command refers to LWS_GROUP_SIZE, LWS_LEADER_ADDRESS, LWS_WORKER_INDEX, which pods do not have on Grove; " +
				"use $GROVE_PCSG_TEMPLATE_NUM_PODS instead of LWS_GROUP_SIZE, " +
				"$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-s-ldr-0.$(GROVE_HEADLESS_SERVICE) instead of LWS_LEADER_ADDRESS, " +
				"$((GROVE_PCLQ_POD_INDEX + 1)) on workers and 0 on the leader instead of LWS_WORKER_INDEX"},
		},
		"GroveOffGrove": {
			reason:       "LeaderWorkerSets have other variables too.",
			spec:         before + `"mainContainer":{"args":["--rank","$(GROVE_PCLQ_POD_INDEX)"]}` + after,
			orchestrator: graphplan.LeaderWorkerSet,
			want: []string{at + "mainContainer: the command refers to GROVE_PCLQ_POD_INDEX, which pods do not have in a LeaderWorkerSet; " +
				"use $LWS_WORKER_INDEX, which is 0 on the leader, instead of GROVE_PCLQ_POD_INDEX"},
		},
		"Unknown": {
			reason:       "Where no variable has the same value, the page that lists them is named.",
			spec:         before + `"mainContainer":{"args":["$(GROVE_PCS_NAME)"]}` + after,
			orchestrator: graphplan.LeaderWorkerSet,
			want:         []string{at + "mainContainer: the command refers to GROVE_PCS_NAME, which pods do not have in a LeaderWorkerSet; see the variables LWS_* in docs/multinode.md"},
		},
		"Deployment": {
			reason:       "A Deployment has no such variables, even if other services are LeaderWorkerSets.",
			spec:         alone + `"mainContainer":{"args":["$(LWS_WORKER_INDEX)"]}` + after,
			orchestrator: graphplan.LeaderWorkerSet,
			want:         []string{at + "mainContainer: the command refers to LWS_WORKER_INDEX, which pods do not have in a Deployment; remove them, because the service runs on one node"},
		},
		"Environment": {
			reason:       "A variable can be the value of another one, and in another container.",
			spec:         before + `"containers":[{"name":"a","env":[{"name":"RANK","value":"$(LWS_WORKER_INDEX)"}]}]` + after,
			orchestrator: graphplan.Grove,
			want: []string{at + "containers[0]: the command refers to LWS_WORKER_INDEX, which pods do not have on Grove; " +
				"use $((GROVE_PCLQ_POD_INDEX + 1)) on workers and 0 on the leader instead of LWS_WORKER_INDEX"},
		},
		"Both": {
			reason:       "A script may be for both orchestrators.",
			spec:         before + `"mainContainer":{"command":["sh","-c","serve --rank ${LWS_WORKER_INDEX:-$GROVE_PCLQ_POD_INDEX}"]}` + after,
			orchestrator: graphplan.Grove,
		},
		"Own": {
			reason:       "A variable may be set by the user.",
			spec:         before + `"mainContainer":{"command":["sh","-c","LWS_WORKER_INDEX=1; serve $LWS_WORKER_INDEX $LWS_GROUP_SIZE"],"env":[{"name":"LWS_GROUP_SIZE","value":"2"}]}` + after,
			orchestrator: graphplan.Grove,
		},
		"Right": {
			reason:       "The variables of the orchestrator itself are there.",
			spec:         before + `"mainContainer":{"args":["$(LWS_LEADER_ADDRESS)"]}` + after,
			orchestrator: graphplan.LeaderWorkerSet,
		},
		"Affinity": {
			reason:       "Pods on Grove have no labels of LeaderWorkerSets.",
			orchestrator: graphplan.Grove,
			spec: before + `"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"a","labelSelector":{"matchLabels":{"leaderworkerset.sigs.k8s.io/name":"x"}}}]},
				"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"podAffinityTerm":{"topologyKey":"a","labelSelector":{"matchExpressions":[
					{"key":"leaderworkerset.sigs.k8s.io/group-index","operator":"Exists"},{"key":"leaderworkerset.sigs.k8s.io/worker-index","operator":"DoesNotExist"}]}}}]}}` + after,
			want: []string{
				at + "affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]: selects by label leaderworkerset.sigs.k8s.io/name, which pods do not have on Grove; " +
					"select by nvidia.com/dynamo-graph-deployment-name and nvidia.com/dynamo-component, which all pods have",
				at + "affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm: selects by label leaderworkerset.sigs.k8s.io/group-index, which pods do not have on Grove; " +
					"select by nvidia.com/dynamo-graph-deployment-name and nvidia.com/dynamo-component, which all pods have",
			},
		},
		"Spread": {
			reason:       "Pods of a LeaderWorkerSet have no hash of a Deployment, and no labels of Grove.",
			orchestrator: graphplan.LeaderWorkerSet,
			spec: before + `"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"a","whenUnsatisfiable":"ScheduleAnyway","matchLabelKeys":["pod-template-hash"],
				"labelSelector":{"matchLabels":{"grove.io/podclique":"x","app":"y"}}}]` + after,
			want: []string{
				at + "topologySpreadConstraints[0]: selects by label grove.io/podclique, which pods do not have in a LeaderWorkerSet; " +
					"select by nvidia.com/dynamo-graph-deployment-name and nvidia.com/dynamo-component, which all pods have",
				at + "topologySpreadConstraints[0]: selects by label pod-template-hash, which pods do not have in a LeaderWorkerSet; " +
					"select by nvidia.com/dynamo-graph-deployment-name and nvidia.com/dynamo-component, which all pods have",
			},
		},
		"OwnLabels": {
			reason:       "All pods have the labels of the graph, and users may select pods of other programs.",
			orchestrator: graphplan.Grove,
			spec: before + `"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"a","whenUnsatisfiable":"ScheduleAnyway","labelSelector":{"matchLabels":
				{"nvidia.com/dynamo-graph-deployment-name":"x","nvidia.com/selector":"x-s","grove.io/podclique":"x","app":"y"}}}]` + after,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := plantest.Facts(t, plantest.Request(plantest.GraphOf(tc.spec)))
			if diff := cmp.Diff(tc.want, ForeignWarnings(f, &graphplan.Plan{Orchestrator: tc.orchestrator}).Texts(f.Graph)); diff != "" {
				t.Errorf("%s\nForeignWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
