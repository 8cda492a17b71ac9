package retain

import (
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestReferences are the objects to which a pod template refers, in a graph whose workloads are at rest.
func TestReferences(t *testing.T) {
	discovered := map[string]string{"nvidia.com/dynamo-discovery-backend": "kubernetes"}
	selector := func(more, value string) map[string]string {
		return map[string]string{"component": "Worker", more: value}
	}
	cases := map[string]struct {
		reason string
		object any
		more   any
		want   hold
	}{
		"Account":              {reason: "Pods run as a ServiceAccount.", object: object("v1", "ServiceAccount", "account"), want: indefinitely},
		"OtherAccount":         {reason: "Pods do not run as another ServiceAccount.", object: object("v1", "ServiceAccount", "acc")},
		"Binding":              {reason: "What an account may do it may by its bindings.", object: binding("ServiceAccount", "account"), want: indefinitely},
		"OtherBinding":         {reason: "A binding of an account that no pod runs as is not used.", object: binding("ServiceAccount", "acc")},
		"BindingOfUser":        {reason: "A binding of a user is not used.", object: binding("User", "account")},
		"Role":                 {reason: "A role is used by its bindings.", object: object("rbac.authorization.k8s.io/v1", "Role", "role"), more: binding("ServiceAccount", "account"), want: indefinitely},
		"OtherRole":            {reason: "A role is not used by the bindings of another role.", object: object("rbac.authorization.k8s.io/v1", "Role", "rol"), more: binding("ServiceAccount", "account")},
		"RoleOfOtherAccount":   {reason: "A role is not used by the bindings of another account.", object: object("rbac.authorization.k8s.io/v1", "Role", "role"), more: binding("ServiceAccount", "acc")},
		"VolumeOfConfigMap":    {reason: "Pods mount ConfigMaps.", object: object("v1", "ConfigMap", "volume-map"), want: indefinitely},
		"ProjectedConfigMap":   {reason: "Pods mount ConfigMaps together with other things.", object: object("v1", "ConfigMap", "projected-map"), want: indefinitely},
		"VariableOfConfigMap":  {reason: "Pods take a variable from a ConfigMap.", object: object("v1", "ConfigMap", "env-map"), want: indefinitely},
		"VariablesOfConfigMap": {reason: "Pods take all variables of a ConfigMap.", object: object("v1", "ConfigMap", "env-from-map"), want: indefinitely},
		"OtherConfigMap":       {reason: "A Secret that has the name of a ConfigMap is no ConfigMap.", object: object("v1", "ConfigMap", "volume-secret")},
		"VolumeOfSecret":       {reason: "Pods mount Secrets.", object: object("v1", "Secret", "volume-secret"), want: indefinitely},
		"ProjectedSecret":      {reason: "Pods mount Secrets together with other things.", object: object("v1", "Secret", "projected-secret"), want: indefinitely},
		"VariableOfSecret":     {reason: "Pods take a variable from a Secret.", object: object("v1", "Secret", "env-secret"), want: indefinitely},
		"VariablesOfSecret":    {reason: "Pods take all variables of a Secret.", object: object("v1", "Secret", "env-from-secret"), want: indefinitely},
		"PullSecret":           {reason: "Images are pulled with a Secret.", object: object("v1", "Secret", "pull"), want: indefinitely},
		"OtherSecret":          {reason: "A ConfigMap that has the name of a Secret is no Secret.", object: object("v1", "Secret", "volume-map")},
		"ClaimTemplate":        {reason: "Claims of pods are made of a template.", object: object("resource.k8s.io/v1", "ResourceClaimTemplate", "claims"), want: indefinitely},
		"NoClaimTemplate":      {reason: "A claim that exists already is made of no template.", object: object("resource.k8s.io/v1", "ResourceClaimTemplate", "claim")},
		"Domain":               {reason: "The template of a claim may be that of a domain.", object: domain("claims"), want: indefinitely},
		"OtherDomain":          {reason: "A domain whose template no pod claims is not used.", object: domain("other")},
		"Usage":                {reason: "A Usage protects the domain of the workload that it names.", object: usage("Deployment", "llama-worker", "claims"), want: indefinitely},
		"UsageOfOtherDomain":   {reason: "A Usage of a domain that no pod claims protects nothing.", object: usage("Deployment", "llama-worker", "other")},
		"UsageOfOtherKind":     {reason: "A Usage by a workload of another kind and the same name protects nothing.", object: usage("LeaderWorkerSet", "llama-worker", "claims")},
		"UsageOfOther":         {reason: "A Usage by a workload whose pods claim no domain protects nothing.", object: usage("Deployment", "llama-frontend", "claims")},
		"UsageOfNobody":        {reason: "A Usage that names no workload is not needed.", object: object("protection.crossplane.io/v1beta1", "Usage", "usage")},
		"PodGroup":             {reason: "Pods are members of a gang.", object: object("scheduling.volcano.sh/v1beta1", "PodGroup", "llama-worker-0"), want: indefinitely},
		"NativePodGroup":       {reason: "Pods are members of a gang of Kubernetes.", object: object("scheduling.k8s.io/v1beta1", "PodGroup", "llama-worker-0"), want: indefinitely},
		"OtherNativePodGroup":  {reason: "Pods are members of one gang of Kubernetes only.", object: object("scheduling.k8s.io/v1beta1", "PodGroup", "llama-worker-1")},
		"LaterNativePodGroup":  {reason: "A gang of Kubernetes is not that of the pods which have replaced its own.", object: object("scheduling.k8s.io/v1beta1", "PodGroup", "llama-worker-0-g0123abcd")},
		"OtherPodGroup":        {reason: "Pods are members of one gang only.", object: object("scheduling.volcano.sh/v1beta1", "PodGroup", "llama-worker-1")},
		"Selected":             {reason: "A Service selects pods by their labels.", object: service("s", nil, selector("discovery", "x")), want: indefinitely},
		"SelectedByOther":      {reason: "The labels of a pod have to agree with all that a Service selects by.", object: service("s", nil, selector("discovery", "y"))},
		"SelectedByMore":       {reason: "A pod has to have all labels that a Service selects by.", object: service("s", nil, selector("more", ""))},
		"NoSelector":           {reason: "A Service without a selector selects no pods.", object: service("s", nil, nil)},
		"Discovered":           {reason: "Pods are discovered through a Service that says so.", object: service("s", discovered, map[string]string{"component": "Worker"}), want: indefinitely},
		"Mentioned":            {reason: "A Service may be named in a command.", object: service("llama-command", nil, nil), want: indefinitely},
		"MentionedInArgument":  {reason: "A Service may be named in an argument.", object: service("llama-arg", nil, nil), want: indefinitely},
		"MentionedInValue":     {reason: "A Service may be named in the value of a variable.", object: service("llama-value", nil, nil), want: indefinitely},
		"PartlyMentioned":      {reason: "A part of a name at its beginning is not the name of a Service.", object: service("llama", nil, nil)},
		"MentionedAtEnd":       {reason: "A part of a name at its end is not the name of a Service.", object: service("value", nil, nil)},
		"Pool":                 {reason: "A picker is told the name of its pool.", object: object("inference.networking.k8s.io/v1", "InferencePool", "llama-arg"), want: indefinitely},
		"OtherPool":            {reason: "A picker is told the name of no other pool.", object: object("inference.networking.k8s.io/v1", "InferencePool", "llama-pool")},
		"Foreign":              {reason: "Pods do not use what has the name of a kind, and another group.", object: object("serving.knative.dev/v1", "Service", "llama-arg")},
		"Unused":               {reason: "Pods use no Ingress.", object: object("networking.k8s.io/v1", "Ingress", "llama-arg")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			observed := map[string]any{"deployment-worker": deployment(pod(), rolledOut())}
			if tc.more != nil {
				observed["more"] = tc.more
			}
			got, err := keeper(graphplan.Deployment, observed, map[string]any{}).holds(steptest.Struct(tc.object))
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
	account := object("v1", "ServiceAccount", "account")
	gang := object("scheduling.volcano.sh/v1beta1", "PodGroup", "llama-worker-0")
	leader := pod()
	clique := grovev1alpha1.Clique{
		Name: "worker", Labels: map[string]string{"component": "Worker"}, Spec: grovev1alpha1.CliqueSpec{PodSpec: corev1.PodSpec{ServiceAccountName: "account"}},
	}
	plainClique := grovev1alpha1.Clique{Name: "worker"}
	deleted := deployment(corev1.PodTemplateSpec{}, rolledOut())
	deleted.DeletionTimestamp = &metav1.Time{Time: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)}
	cases := map[string]struct {
		reason       string
		orchestrator graphplan.Orchestrator
		object       any
		observed     []any
		found        map[string]any
		want         hold
	}{
		"Deployment":            {reason: "A Deployment has one template.", object: account, observed: []any{deployment(pod(), rolledOut())}, want: indefinitely},
		"DeploymentAtRest":      {reason: "Pods of an earlier template of a Deployment are gone once it has rolled out.", object: account, observed: []any{deployment(plainPod(), rolledOut())}},
		"DeploymentRolling":     {reason: "Until a Deployment has rolled out, it is unknown to what its pods refer.", object: account, observed: []any{deployment(plainPod(), rolling())}, want: temporarily},
		"DeploymentScaled":      {reason: "A Deployment without replicas has no pods of an earlier template.", object: account, observed: []any{`{"kind":"Deployment","metadata":{"generation":2},"spec":{"replicas":0},"status":{"observedGeneration":2}}`}},
		"Worker":                {reason: "A LeaderWorkerSet may have one template for all pods.", object: account, observed: []any{leaderWorkerSet(nil, pod(), rolledOut())}, want: indefinitely},
		"Leader":                {reason: "A LeaderWorkerSet may have a template for the leader.", object: account, observed: []any{leaderWorkerSet(&leader, plainPod(), rolledOut())}, want: indefinitely},
		"LeaderWorkerSetAtRest": {reason: "A LeaderWorkerSet may have no template that refers to the account.", object: account, observed: []any{leaderWorkerSet(nil, plainPod(), rolledOut())}},
		"LeaderWorkerSetRolls":  {reason: "A LeaderWorkerSet may have pods of an earlier template until it is ready.", object: account, observed: []any{leaderWorkerSet(nil, plainPod(), progress{replicas: 1, updated: 1})}, want: temporarily},
		"Clique":                {reason: "A PodCliqueSet has a template for each clique.", object: account, observed: []any{podCliqueSet(clique, nil)}, want: indefinitely},
		"CliqueLabels":          {reason: "Labels of a clique are those of its pods.", object: service("s", nil, map[string]string{"component": "Worker"}), observed: []any{podCliqueSet(clique, nil)}, want: indefinitely},
		"PodCliqueSetAtRest":    {reason: "A PodCliqueSet has no pods of an earlier template when it is at rest as a whole.", object: account, observed: []any{podCliqueSet(plainClique, nil)}},
		"PodCliqueSetRolls":     {reason: "A PodCliqueSet may have pods of an earlier template until it is at rest as a whole.", object: account, observed: []any{podCliqueSet(plainClique, &grovev1alpha1.UpdateProgress{})}, want: temporarily},
		"OtherRolls":            {reason: "A gang waits for its own pods only.", object: gang, observed: []any{deployment(plainPod(), rolling())}},
		"OwnRolls":              {reason: "The pods of a gang may be members while they are replaced.", object: gang, observed: []any{leaderWorkerSet(nil, plainPod(), rolling())}, want: temporarily},
		"UsageRolls":            {reason: "The pods of a workload may have claims while they are replaced.", object: usage("LeaderWorkerSet", "llama-worker-0", "claims"), observed: []any{leaderWorkerSet(nil, plainPod(), rolling())}, want: temporarily},
		"UsageOfOtherRolls":     {reason: "A Usage does not wait for pods of other workloads.", object: usage("LeaderWorkerSet", "llama-worker-0", "claims"), observed: []any{deployment(plainPod(), rolling())}},
		"BeingDeleted": {
			reason: "Pods of what is being deleted may be of an earlier template.", object: account, want: temporarily,
			observed: []any{deleted},
		},
		"Leaving": {
			reason: "A set that Crossplane has begun to delete has pods until it is gone.", orchestrator: graphplan.LeaderWorkerSet, object: account, want: temporarily,
			found: map[string]any{"leaving-leaderworkerset": leaderWorkerSet(nil, plainPod(), rolledOut())},
		},
		"NotLeaving": {
			reason: "A set that is observed is not being deleted.", orchestrator: graphplan.LeaderWorkerSet, object: account,
			observed: []any{leaderWorkerSet(nil, plainPod(), rolledOut())},
			found:    map[string]any{"leaving-leaderworkerset": leaderWorkerSet(nil, plainPod(), rolledOut())},
		},
		"NotLookedUp": {reason: "Until Crossplane has looked, there may be a set that is being deleted.", orchestrator: graphplan.LeaderWorkerSet, object: account, want: temporarily},
		"NoneLeaves":  {reason: "Without LeaderWorkerSets nothing needs to be looked up.", orchestrator: graphplan.Grove, object: account},
		"GangLeaves": {
			reason: "A gang waits for its own set.", orchestrator: graphplan.LeaderWorkerSet, object: gang, want: temporarily,
			found: map[string]any{"leaving-leaderworkerset": leaderWorkerSet(nil, pod(), rolledOut())},
		},
		"UsageLeaves": {
			reason: "A Usage waits for its own set.", orchestrator: graphplan.LeaderWorkerSet, object: usage("LeaderWorkerSet", "llama-worker-0", "claims"), want: temporarily,
			found: map[string]any{"leaving-leaderworkerset": leaderWorkerSet(nil, pod(), rolledOut())},
		},
		"OtherLeaves": {
			reason: "A Usage does not wait for another set.", orchestrator: graphplan.LeaderWorkerSet, object: usage("LeaderWorkerSet", "llama-worker-1", "claims"),
			found: map[string]any{"leaving-leaderworkerset": leaderWorkerSet(nil, pod(), rolledOut())},
		},
		"DomainLeaves": {
			reason: "A domain waits for the sets that claim a channel of it.", orchestrator: graphplan.LeaderWorkerSet, object: domain("claims"), want: temporarily,
			found: map[string]any{"leaving-leaderworkerset": leaderWorkerSet(nil, pod(), rolledOut())},
		},
		"DomainProtected":       {reason: "A domain waits for its Usage.", object: domain("claims"), observed: []any{usage("Deployment", "llama-worker", "claims")}, found: map[string]any{}, want: temporarily},
		"DomainStillProtected":  {reason: "A domain waits for a Usage that is being deleted.", object: domain("claims"), found: map[string]any{"leaving-usage": usage("Deployment", "llama-worker", "claims")}, want: temporarily},
		"DomainMayBeProtected":  {reason: "A domain waits until Crossplane has looked for its Usage.", object: domain("claims"), want: temporarily},
		"OtherDomainProtected":  {reason: "A domain does not wait for the Usage of another domain.", object: domain("claims"), found: map[string]any{"leaving-usage": usage("Deployment", "llama-worker", "other")}},
		"DomainNotUsedAnyMore":  {reason: "A domain goes when no set claims it and no Usage protects it.", orchestrator: graphplan.LeaderWorkerSet, object: domain("claims"), found: map[string]any{}},
		"MentionedWhileRolling": {reason: "What may be mentioned forever is looked at again soon while pods are replaced.", object: service("llama-arg", nil, nil), observed: []any{deployment(pod(), rolling())}, want: temporarily},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			observed := map[string]any{}
			for i, object := range tc.observed {
				observed[strconv.Itoa(i)] = object
			}
			got, err := keeper(tc.orchestrator, observed, tc.found).holds(steptest.Struct(tc.object))
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
	account := object("v1", "ServiceAccount", "account")
	cases := map[string]struct {
		reason   string
		object   any
		observed any
		found    map[string]any
		want     string
	}{
		"Deployment":    {reason: "What a Deployment refers to cannot be told.", object: account, observed: `{"apiVersion":"apps/v1","kind":"Deployment","spec":"x"}`, want: "cannot read Deployment: spec: "},
		"Set":           {reason: "What a LeaderWorkerSet refers to cannot be told.", object: account, observed: `{"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","spec":"x"}`, want: "cannot read LeaderWorkerSet: spec: "},
		"PodCliqueSet":  {reason: "What a PodCliqueSet refers to cannot be told.", object: account, observed: `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","spec":"x"}`, want: "cannot read PodCliqueSet: spec: "},
		"LeavingSet":    {reason: "What a LeaderWorkerSet that is being deleted refers to cannot be told.", object: account, found: map[string]any{"leaving-leaderworkerset": `{"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","spec":"x"}`}, want: "cannot read LeaderWorkerSet: spec: "},
		"Service":       {reason: "What a Service selects cannot be told.", object: `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":"x"}`, want: "cannot read Service s: spec: "},
		"Binding":       {reason: "Whom a binding is about cannot be told.", object: `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":{"name":"b"},"subjects":"x"}`, want: "cannot read RoleBinding b: subjects: "},
		"BindingOfRole": {reason: "Whom a binding of a role is about cannot be told.", object: object("rbac.authorization.k8s.io/v1", "Role", "r"), observed: `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":{"name":"b"},"subjects":"x"}`, want: "cannot read RoleBinding b: subjects: "},
		"Domain":        {reason: "What claims a domain cannot be told.", object: `{"apiVersion":"resource.nvidia.com/v1beta1","kind":"ComputeDomain","metadata":{"name":"d"},"spec":"x"}`, want: "cannot read ComputeDomain d: spec: "},
		"Usage":         {reason: "What a Usage protects cannot be told.", object: `{"apiVersion":"protection.crossplane.io/v1beta1","kind":"Usage","metadata":{"name":"u"},"spec":"x"}`, want: "cannot read Usage u: spec: "},
		"UsageOfDomain": {reason: "What a Usage of a domain protects cannot be told.", object: domain("d"), observed: `{"apiVersion":"protection.crossplane.io/v1beta1","kind":"Usage","metadata":{"name":"u"},"spec":"x"}`, want: "cannot read Usage u: spec: "},
		"LeavingUsage":  {reason: "What a Usage that is being deleted protects cannot be told.", object: domain("d"), found: map[string]any{"leaving-usage": `{"apiVersion":"protection.crossplane.io/v1beta1","kind":"Usage","metadata":{"name":"u"},"spec":"x"}`}, want: "cannot read Usage u: spec: "},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			observed := map[string]any{"object": tc.object}
			if tc.observed != nil {
				observed["other"] = tc.observed
			}
			k := keeper(graphplan.LeaderWorkerSet, observed, tc.found)
			err := k.Keep(func(key string) bool { return key == "object" })
			want := "cannot determine whether pods still use composed resource object: " + tc.want
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s\nKeep(...): want an error that begins with %q, got %v", tc.reason, want, err)
			}
		})
	}
}
