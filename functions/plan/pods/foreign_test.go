package pods

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

type foreignCase struct {
	reason       string
	spec         string
	orchestrator graphplan.Orchestrator
	want         []string
}

func TestForeignWarnings(t *testing.T) {
	const (
		at = "spec.services[S].extraPodSpec."
		// spec of a component over two nodes, in JSON, in which what is in its pods can be set.
		before = `{"services":{"S":{"componentType":"worker","multinode":{"nodeCount":2},"extraPodSpec":{`
		alone  = `{"services":{"S":{"componentType":"worker","extraPodSpec":{`
		after  = `}}}}`
	)
	const ordinal = ", which is not the number of the node on Grove: the ordinal of the hostname is 0 on the leader and on the first worker, and names of pods end at random; " +
		"use $((GROVE_PCLQ_POD_INDEX + 1)) on workers and 0 on the leader"
	cases := map[string]foreignCase{
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
			want:         []string{at + "mainContainer: the command refers to GROVE_PCS_NAME, which pods do not have in a LeaderWorkerSet; see the variables LWS_* in https://github.com/dynamo-crossplane/configuration-dynamo/blob/main/docs/multinode.md#engines-of-your-own"},
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
		"FieldOfGrove": {
			reason:       "A variable with a label of Grove is empty on a LeaderWorkerSet, and a label of pods is no other field.",
			orchestrator: graphplan.LeaderWorkerSet,
			spec: before + `"mainContainer":{"env":[{"name":"SLOT","valueFrom":{"fieldRef":{"fieldPath":"metadata.labels['grove.io/podclique-pod-index']"}}},
				{"name":"NODE","valueFrom":{"fieldRef":{"fieldPath":"spec.nodeName"}}},
				{"name":"INDEX","valueFrom":{"fieldRef":{"fieldPath":"metadata.labels['leaderworkerset.sigs.k8s.io/worker-index']"}}}]}` + after,
			want: []string{at + "mainContainer: variable SLOT is empty: pods have no label grove.io/podclique-pod-index in a LeaderWorkerSet; use the variables LWS_* in https://github.com/dynamo-crossplane/configuration-dynamo/blob/main/docs/multinode.md#engines-of-your-own"},
		},
		"FieldInDeployment": {
			reason:       "Pods of a Deployment have no number, also in variables of the graph.",
			orchestrator: graphplan.Deployment,
			spec:         `{"envs":[{"name":"SLOT","valueFrom":{"fieldRef":{"fieldPath":"metadata.labels['apps.kubernetes.io/pod-index']"}}}],` + alone[1:] + `"mainContainer":{"image":"i"}` + after,
			want:         []string{"spec.envs: variable SLOT is empty: pods have no label apps.kubernetes.io/pod-index in a Deployment; remove it, because the replicas of a Deployment have no number"},
		},
		"FieldOfJob": {
			reason:       "No orchestrator runs pods in Jobs.",
			orchestrator: graphplan.Grove,
			spec:         before + `"containers":[{"name":"a","env":[{"name":"RANK","valueFrom":{"fieldRef":{"fieldPath":"metadata.annotations['batch.kubernetes.io/job-completion-index']"}}}]}]` + after,
			want:         []string{at + "containers[0]: variable RANK is empty: pods have no annotation batch.kubernetes.io/job-completion-index on Grove; use the variables GROVE_* in https://github.com/dynamo-crossplane/configuration-dynamo/blob/main/docs/multinode.md#engines-of-your-own"},
		},
		"FieldInFile": {
			reason:       "A file can have the value of a field, too.",
			orchestrator: graphplan.Grove,
			spec: before + `"volumes":[{"name":"a","downwardAPI":{"items":[{"path":"rank","fieldRef":{"fieldPath":"metadata.labels['leaderworkerset.sigs.k8s.io/worker-index']"}}]}},
				{"name":"b","projected":{"sources":[{"downwardAPI":{"items":[{"path":"group","fieldRef":{"fieldPath":"metadata.labels['leaderworkerset.sigs.k8s.io/group-index']"}}]}}]}}]` + after,
			want: []string{
				at + "volumes[0]: file rank is empty: pods have no label leaderworkerset.sigs.k8s.io/worker-index on Grove; use the variables GROVE_* in https://github.com/dynamo-crossplane/configuration-dynamo/blob/main/docs/multinode.md#engines-of-your-own",
				at + "volumes[1].projected.sources[0]: file group is empty: pods have no label leaderworkerset.sigs.k8s.io/group-index on Grove; use the variables GROVE_* in https://github.com/dynamo-crossplane/configuration-dynamo/blob/main/docs/multinode.md#engines-of-your-own",
			},
		},
		"FieldOfUser": {
			reason:       "A user may give pods any label.",
			orchestrator: graphplan.Deployment,
			spec: `{"services":{"S":{"componentType":"worker","labels":{"apps.kubernetes.io/pod-index":"3"},"extraPodSpec":{"mainContainer":{"env":[
				{"name":"SLOT","valueFrom":{"fieldRef":{"fieldPath":"metadata.labels['apps.kubernetes.io/pod-index']"}}}]}}}}}`,
		},
		"OrdinalOffGrove": {
			reason:       "The hostname in a LeaderWorkerSet ends with the number of the node.",
			orchestrator: graphplan.LeaderWorkerSet,
			spec:         before + `"mainContainer":{"command":["sh","-c","serve --rank ${HOSTNAME##*-}"]}` + after,
		},
		"OrdinalOfOneNode": {
			reason:       "A component on one node has no ranks.",
			orchestrator: graphplan.Grove,
			spec:         alone + `"mainContainer":{"command":["sh","-c","serve --id ${HOSTNAME##*-}"]}` + after,
		},
		"OrdinalForBoth": {
			reason:       "A script that knows the variables of Grove takes the hostname elsewhere.",
			orchestrator: graphplan.Grove,
			spec:         before + `"mainContainer":{"command":["sh","-c","serve --rank ${GROVE_PCLQ_POD_INDEX:-${HOSTNAME##*-}}"]}` + after,
		},
		"OrdinalOfName": {
			reason:       "The name of a pod on Grove ends at random.",
			orchestrator: graphplan.Grove,
			spec:         before + `"mainContainer":{"command":["bash","-c","[[ $POD_NAME =~ -([0-9]+)$ ]]; serve --rank ${BASH_REMATCH[1]}"],"env":[{"name":"POD_NAME","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}]}` + after,
			want:         []string{at + "mainContainer: takes a rank from the end of variable POD_NAME, the name of the pod" + ordinal},
		},
		"OrdinalInProbe": {
			reason:       "A probe may ask for the rank.",
			orchestrator: graphplan.Grove,
			spec:         before + `"mainContainer":{"startupProbe":{"exec":{"command":["bash","-c","[ \"${HOSTNAME##*-}\" = 0 ]"]}}}` + after,
			want:         []string{at + "mainContainer: takes a rank from the end of the hostname" + ordinal},
		},
	}
	for _, script := range []string{
		"serve --rank ${HOSTNAME##*-}", "serve --rank ${HOSTNAME: -1}", "[[ $(hostname) =~ -([0-9]+)$ ]]", "[[ \"$HOSTNAME\" =~ ([0-9]+)$ ]]",
		"hostname | cut -d- -f3", "hostname -s | awk -F- '{print $NF}'", "echo $HOSTNAME | grep -oE '[0-9]+$'", "echo ${HOSTNAME} | sed 's/.*-//'", "hostname | rev | cut -d- -f1",
		"python3 -c 'import socket; print(socket.gethostname().split(\"-\")[-1])'", "python3 -c 'import os; print(os.environ[\"HOSTNAME\"].rsplit(\"-\", 1)[1])'",
	} {
		text, err := json.Marshal(script)
		if err != nil {
			t.Fatal(err)
		}
		cases["Ordinal of "+script] = foreignCase{
			reason: "The ordinal at the end of a hostname on Grove counts the pods of a role.", orchestrator: graphplan.Grove,
			spec: before + `"mainContainer":{"command":["bash","-c",` + string(text) + `]}` + after,
			want: []string{at + "mainContainer: takes a rank from the end of the hostname" + ordinal},
		}
	}
	for _, script := range []string{"echo on $HOSTNAME", "hostname -I | awk '{print $1}'", "tee /logs/$HOSTNAME.log", "hostname | cut -d. -f1", "export MY_HOSTNAME=${HOSTNAME%%.*}"} {
		text, err := json.Marshal(script)
		if err != nil {
			t.Fatal(err)
		}
		cases["No ordinal of "+script] = foreignCase{
			reason: "Not all that reads the hostname takes a rank from it.", orchestrator: graphplan.Grove,
			spec: before + `"mainContainer":{"command":["bash","-c",` + string(text) + `]}` + after,
		}
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
