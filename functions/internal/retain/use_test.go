package retain

import (
	"strconv"
	"strings"
	"testing"

	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

// TestReferences are the objects to which a pod template refers, in a graph whose workloads are at rest.
func TestReferences(t *testing.T) {
	const account = `{"kind":"ServiceAccount","name":"account"}`
	const discovered = `"nvidia.com/dynamo-discovery-backend":"kubernetes"`
	cases := map[string]struct {
		reason string
		object string
		more   string
		want   hold
	}{
		"Account":              {reason: "Pods run as a ServiceAccount.", object: object("v1", "ServiceAccount", "account", ""), want: temporarily},
		"OtherAccount":         {reason: "Of another one nobody speaks.", object: object("v1", "ServiceAccount", "acc", "")},
		"Binding":              {reason: "What it may do it may by its bindings,", object: binding(account), want: temporarily},
		"OtherBinding":         {reason: "not by those of another account,", object: binding(`{"kind":"ServiceAccount","name":"acc"}`)},
		"BindingOfUser":        {reason: "nor by those of a user.", object: binding(`{"kind":"User","name":"account"}`)},
		"Role":                 {reason: "A role is used by its bindings.", object: object("rbac.authorization.k8s.io/v1", "Role", "role", ""), more: binding(account), want: temporarily},
		"OtherRole":            {reason: "Those of another role do not count,", object: object("rbac.authorization.k8s.io/v1", "Role", "rol", ""), more: binding(account)},
		"RoleOfOtherAccount":   {reason: "nor do those of another account.", object: object("rbac.authorization.k8s.io/v1", "Role", "role", ""), more: binding(`{"kind":"ServiceAccount","name":"acc"}`)},
		"VolumeOfConfigMap":    {reason: "Pods mount ConfigMaps,", object: object("v1", "ConfigMap", "volume-map", ""), want: temporarily},
		"ProjectedConfigMap":   {reason: "also together with other things,", object: object("v1", "ConfigMap", "projected-map", ""), want: temporarily},
		"VariableOfConfigMap":  {reason: "take variables from one,", object: object("v1", "ConfigMap", "env-map", ""), want: temporarily},
		"VariablesOfConfigMap": {reason: "or all of its.", object: object("v1", "ConfigMap", "env-from-map", ""), want: temporarily},
		"OtherConfigMap":       {reason: "A Secret of that name is no ConfigMap.", object: object("v1", "ConfigMap", "volume-secret", "")},
		"VolumeOfSecret":       {reason: "The same holds for Secrets.", object: object("v1", "Secret", "volume-secret", ""), want: temporarily},
		"ProjectedSecret":      {reason: "The same holds for Secrets.", object: object("v1", "Secret", "projected-secret", ""), want: temporarily},
		"VariableOfSecret":     {reason: "The same holds for Secrets.", object: object("v1", "Secret", "env-secret", ""), want: temporarily},
		"VariablesOfSecret":    {reason: "The same holds for Secrets.", object: object("v1", "Secret", "env-from-secret", ""), want: temporarily},
		"PullSecret":           {reason: "Images are pulled with a Secret.", object: object("v1", "Secret", "pull", ""), want: temporarily},
		"OtherSecret":          {reason: "A ConfigMap of that name is no Secret.", object: object("v1", "Secret", "volume-map", "")},
		"ClaimTemplate":        {reason: "A claim is made of a template,", object: object("resource.k8s.io/v1", "ResourceClaimTemplate", "claims", ""), want: temporarily},
		"NoClaimTemplate":      {reason: "or is there already.", object: object("resource.k8s.io/v1", "ResourceClaimTemplate", "claim", "")},
		"Domain":               {reason: "The template may be that of a domain,", object: domain("claims"), want: temporarily},
		"OtherDomain":          {reason: "or of another one.", object: domain("other")},
		"Usage":                {reason: "A Usage protects the domain of the workload that it names.", object: usage("Deployment", "llama-worker", "claims"), want: temporarily},
		"UsageOfOtherDomain":   {reason: "Without a claim there is nothing to protect.", object: usage("Deployment", "llama-worker", "other")},
		"UsageOfOtherKind":     {reason: "Names are those of one kind.", object: usage("LeaderWorkerSet", "llama-worker", "claims")},
		"UsageOfOther":         {reason: "Others do not count.", object: usage("Deployment", "llama-frontend", "claims")},
		"UsageOfNobody":        {reason: "Nobody needs no protection.", object: object("protection.crossplane.io/v1beta1", "Usage", "usage", "")},
		"PodGroup":             {reason: "Pods are members of a gang.", object: object("scheduling.volcano.sh/v1beta1", "PodGroup", "llama-worker-0", ""), want: temporarily},
		"OtherPodGroup":        {reason: "They are of one only.", object: object("scheduling.volcano.sh/v1beta1", "PodGroup", "llama-worker-1", "")},
		"Selected":             {reason: "A Service selects pods by their labels.", object: service("s", "", `"component":"Worker","discovery":"x"`), want: temporarily},
		"SelectedByOther":      {reason: "All of them have to agree.", object: service("s", "", `"component":"Worker","discovery":"y"`)},
		"SelectedByMore":       {reason: "All of them have to be there.", object: service("s", "", `"component":"Worker","more":""`)},
		"NoSelector":           {reason: "A Service without a selector selects no pods.", object: service("s", "", ``)},
		"Discovered":           {reason: "Pods are discovered through a Service that says so.", object: service("s", discovered, `"component":"Worker"`), want: temporarily},
		"Mentioned":            {reason: "A Service may stand in a command,", object: service("llama-command", "", ``), want: lastingly},
		"MentionedInArgument":  {reason: "in an argument,", object: service("llama-arg", "", ``), want: lastingly},
		"MentionedInValue":     {reason: "or in the value of a variable.", object: service("llama-value", "", ``), want: lastingly},
		"PartlyMentioned":      {reason: "A part of a name is no name,", object: service("llama", "", ``)},
		"MentionedAtEnd":       {reason: "wherever it is.", object: service("value", "", ``)},
		"Pool":                 {reason: "A picker is told the name of its pool.", object: object("inference.networking.k8s.io/v1", "InferencePool", "llama-arg", ""), want: lastingly},
		"OtherPool":            {reason: "It is told no other.", object: object("inference.networking.k8s.io/v1", "InferencePool", "llama-pool", "")},
		"Foreign":              {reason: "Pods do not use what has the name of a kind, and another group.", object: object("serving.knative.dev/v1", "Service", "llama-arg", "")},
		"Unused":               {reason: "Pods use no Ingress.", object: object("networking.k8s.io/v1", "Ingress", "llama-arg", "")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			observed := map[string]string{"deployment-worker": deployment(pod, rolledOut)}
			if tc.more != "" {
				observed["more"] = tc.more
			}
			got, err := keeper(graphplan.Deployment, observed, map[string]string{}).holds(resource.MustStructJSON(tc.object))
			if err != nil {
				t.Fatalf("%s\nholds(...): %v", tc.reason, err)
			}
			if got != tc.want {
				t.Errorf("%s\nholds(...): want %d, got %d", tc.reason, tc.want, got)
			}
		})
	}
}

// TestWorkloads are the workloads whose pods use an object.
func TestWorkloads(t *testing.T) {
	account := object("v1", "ServiceAccount", "account", "")
	gang := object("scheduling.volcano.sh/v1beta1", "PodGroup", "llama-worker-0", "")
	leader := `"leaderTemplate":` + pod + `,`
	clique := `{"name":"worker","labels":{"component":"Worker"},"spec":{"podSpec":{"serviceAccountName":"account"}}}`
	const plainClique, updating = `{"name":"worker","spec":{}}`, `"observedGeneration":2,"updateProgress":{}`
	cases := map[string]struct {
		reason       string
		orchestrator graphplan.Orchestrator
		object       string
		observed     []string
		found        map[string]string
		want         hold
	}{
		"Deployment":            {reason: "A Deployment has one template.", object: account, observed: []string{deployment(pod, rolledOut)}, want: temporarily},
		"DeploymentAtRest":      {reason: "Pods of an earlier one are gone.", object: account, observed: []string{deployment(plainPod, rolledOut)}},
		"DeploymentRolling":     {reason: "Until they are, nobody knows to what they refer.", object: account, observed: []string{deployment(plainPod, rolling)}, want: temporarily},
		"DeploymentScaled":      {reason: "A Deployment without replicas has no pods of an earlier template.", object: account, observed: []string{`{"kind":"Deployment","metadata":{"generation":2},"spec":{"replicas":0},"status":{"observedGeneration":2}}`}},
		"Worker":                {reason: "A LeaderWorkerSet may have one template for all,", object: account, observed: []string{leaderWorkerSet("", pod, rolledOut)}, want: temporarily},
		"Leader":                {reason: "or one for the leader,", object: account, observed: []string{leaderWorkerSet(leader, plainPod, rolledOut)}, want: temporarily},
		"LeaderWorkerSetAtRest": {reason: "and none that refers.", object: account, observed: []string{leaderWorkerSet("", plainPod, rolledOut)}},
		"LeaderWorkerSetRolls":  {reason: "It is at rest when it is ready.", object: account, observed: []string{leaderWorkerSet("", plainPod, `"observedGeneration":2,"replicas":1,"updatedReplicas":1`)}, want: temporarily},
		"Clique":                {reason: "A PodCliqueSet has a template for each clique.", object: account, observed: []string{podCliqueSet(clique, `"observedGeneration":2`)}, want: temporarily},
		"CliqueLabels":          {reason: "Labels of a clique are those of its pods.", object: service("s", "", `"component":"Worker"`), observed: []string{podCliqueSet(clique, `"observedGeneration":2`)}, want: temporarily},
		"PodCliqueSetAtRest":    {reason: "The set is at rest as a whole,", object: account, observed: []string{podCliqueSet(plainClique, `"observedGeneration":2`)}},
		"PodCliqueSetRolls":     {reason: "or it is not.", object: account, observed: []string{podCliqueSet(plainClique, updating)}, want: temporarily},
		"OtherRolls":            {reason: "A gang waits for its own pods only.", object: gang, observed: []string{deployment(plainPod, rolling)}},
		"OwnRolls":              {reason: "Those may be members while they are replaced.", object: gang, observed: []string{leaderWorkerSet("", plainPod, rolling)}, want: temporarily},
		"UsageRolls":            {reason: "They may have claims while they are replaced.", object: usage("LeaderWorkerSet", "llama-worker-0", "claims"), observed: []string{leaderWorkerSet("", plainPod, rolling)}, want: temporarily},
		"UsageOfOtherRolls":     {reason: "Pods of others have nothing to do with it.", object: usage("LeaderWorkerSet", "llama-worker-0", "claims"), observed: []string{deployment(plainPod, rolling)}},
		"BeingDeleted": {
			reason: "Pods of what is being deleted may be of an earlier template.", object: account, want: temporarily,
			observed: []string{`{"kind":"Deployment","metadata":{"generation":2,"deletionTimestamp":"2026-01-01T00:00:00Z"},"status":{` + rolledOut + `}}`},
		},
		"Leaving": {
			reason: "A set that Crossplane has begun to delete has pods until it is gone.", orchestrator: graphplan.LeaderWorkerSet, object: account, want: temporarily,
			found: map[string]string{"leaving-leaderworkerset": leaderWorkerSet("", plainPod, rolledOut)},
		},
		"NotLeaving": {
			reason: "One that is observed is not being deleted.", orchestrator: graphplan.LeaderWorkerSet, object: account,
			observed: []string{leaderWorkerSet("", plainPod, rolledOut)},
			found:    map[string]string{"leaving-leaderworkerset": leaderWorkerSet("", plainPod, rolledOut)},
		},
		"NotLookedUp": {reason: "Until Crossplane has looked, there may be one.", orchestrator: graphplan.LeaderWorkerSet, object: account, want: temporarily},
		"NoneLeaves":  {reason: "Without LeaderWorkerSets nothing needs to be looked up.", orchestrator: graphplan.Grove, object: account},
		"GangLeaves": {
			reason: "A gang waits for its own set.", orchestrator: graphplan.LeaderWorkerSet, object: gang, want: temporarily,
			found: map[string]string{"leaving-leaderworkerset": leaderWorkerSet("", pod, rolledOut)},
		},
		"UsageLeaves": {
			reason: "So does a Usage.", orchestrator: graphplan.LeaderWorkerSet, object: usage("LeaderWorkerSet", "llama-worker-0", "claims"), want: temporarily,
			found: map[string]string{"leaving-leaderworkerset": leaderWorkerSet("", pod, rolledOut)},
		},
		"OtherLeaves": {
			reason: "Another set does not keep it.", orchestrator: graphplan.LeaderWorkerSet, object: usage("LeaderWorkerSet", "llama-worker-1", "claims"),
			found: map[string]string{"leaving-leaderworkerset": leaderWorkerSet("", pod, rolledOut)},
		},
		"DomainLeaves": {
			reason: "A domain waits for the sets that claim a channel of it,", orchestrator: graphplan.LeaderWorkerSet, object: domain("claims"), want: temporarily,
			found: map[string]string{"leaving-leaderworkerset": leaderWorkerSet("", pod, rolledOut)},
		},
		"DomainProtected":       {reason: "for its Usage,", object: domain("claims"), observed: []string{usage("Deployment", "llama-worker", "claims")}, found: map[string]string{}, want: temporarily},
		"DomainStillProtected":  {reason: "also for one that is being deleted,", object: domain("claims"), found: map[string]string{"leaving-usage": usage("Deployment", "llama-worker", "claims")}, want: temporarily},
		"DomainMayBeProtected":  {reason: "until Crossplane has looked,", object: domain("claims"), want: temporarily},
		"OtherDomainProtected":  {reason: "and not for that of another domain.", object: domain("claims"), found: map[string]string{"leaving-usage": usage("Deployment", "llama-worker", "other")}},
		"DomainNotUsedAnyMore":  {reason: "Then it goes.", orchestrator: graphplan.LeaderWorkerSet, object: domain("claims"), found: map[string]string{}},
		"MentionedWhileRolling": {reason: "What may be mentioned for ever is looked at again soon while pods are replaced.", object: service("llama-arg", "", ``), observed: []string{deployment(pod, rolling)}, want: temporarily},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			observed := map[string]string{}
			for i, object := range tc.observed {
				observed[strconv.Itoa(i)] = object
			}
			got, err := keeper(tc.orchestrator, observed, tc.found).holds(resource.MustStructJSON(tc.object))
			if err != nil {
				t.Fatalf("%s\nholds(...): %v", tc.reason, err)
			}
			if got != tc.want {
				t.Errorf("%s\nholds(...): want %d, got %d", tc.reason, tc.want, got)
			}
		})
	}
}

// TestUnreadable are objects that no API server has. Who cannot tell what they are about lets nothing go.
func TestUnreadable(t *testing.T) {
	account := object("v1", "ServiceAccount", "account", "")
	cases := map[string]struct {
		reason   string
		object   string
		observed string
		found    map[string]string
		want     string
	}{
		"Deployment":    {reason: "What a Deployment refers to cannot be told.", object: account, observed: `{"kind":"Deployment","spec":"x"}`, want: "cannot read Deployment: spec: "},
		"Set":           {reason: "What a LeaderWorkerSet refers to cannot be told.", object: account, observed: `{"kind":"LeaderWorkerSet","spec":"x"}`, want: "cannot read LeaderWorkerSet: spec: "},
		"PodCliqueSet":  {reason: "What a PodCliqueSet refers to cannot be told.", object: account, observed: `{"kind":"PodCliqueSet","spec":"x"}`, want: "cannot read PodCliqueSet: spec: "},
		"LeavingSet":    {reason: "The same holds for one that is being deleted.", object: account, found: map[string]string{"leaving-leaderworkerset": `{"kind":"LeaderWorkerSet","spec":"x"}`}, want: "cannot read LeaderWorkerSet: spec: "},
		"Service":       {reason: "What a Service selects cannot be told.", object: object("v1", "Service", "s", `,"spec":"x"`), want: "cannot read Service s: spec: "},
		"Binding":       {reason: "Whom a binding is about cannot be told.", object: object("rbac.authorization.k8s.io/v1", "RoleBinding", "b", `,"subjects":"x"`), want: "cannot read RoleBinding b: subjects: "},
		"BindingOfRole": {reason: "The same holds for those of a role.", object: object("rbac.authorization.k8s.io/v1", "Role", "r", ""), observed: object("rbac.authorization.k8s.io/v1", "RoleBinding", "b", `,"subjects":"x"`), want: "cannot read RoleBinding b: subjects: "},
		"Domain":        {reason: "What claims a domain cannot be told.", object: object("resource.nvidia.com/v1beta1", "ComputeDomain", "d", `,"spec":"x"`), want: "cannot read ComputeDomain d: spec: "},
		"Usage":         {reason: "What a Usage protects cannot be told.", object: object("protection.crossplane.io/v1beta1", "Usage", "u", `,"spec":"x"`), want: "cannot read Usage u: spec: "},
		"UsageOfDomain": {reason: "The same holds for those of a domain.", object: domain("d"), observed: object("protection.crossplane.io/v1beta1", "Usage", "u", `,"spec":"x"`), want: "cannot read Usage u: spec: "},
		"LeavingUsage":  {reason: "The same holds for those that are being deleted.", object: domain("d"), found: map[string]string{"leaving-usage": object("protection.crossplane.io/v1beta1", "Usage", "u", `,"spec":"x"`)}, want: "cannot read Usage u: spec: "},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			observed := map[string]string{"object": tc.object}
			if tc.observed != "" {
				observed["other"] = tc.observed
			}
			k := keeper(graphplan.LeaderWorkerSet, observed, tc.found)
			err := k.Keep(func(key string) bool { return key == "object" })
			want := "cannot tell whether pods still use composed resource object: " + tc.want
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s\nKeep(...): want an error that begins with %q, got %v", tc.reason, want, err)
			}
		})
	}
}
