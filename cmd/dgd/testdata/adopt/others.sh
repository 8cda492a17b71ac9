# How to move graphs from the Dynamo operator to configuration-dynamo without a restart.
#
# Take the steps one at a time, in this order, and read what stands before each. Copy the functions below into your shell first. This file
# does not run as a whole.
echo "take the steps in this file one at a time" >&2; exit 1

OPERATOR_NAMESPACE=dynamo-system  # the namespace of the operator
NAMESPACES=inference

# Removes one owner reference, if it is still the same one, and leaves the name of its graph in an annotation: without it, a new graph does not
# take the object over. Also removes the records of who manages the fields of the object. Fields that the operator still managed would stay in
# the object, such as its environment variables in pods, when the user changes a service later.
disown() {
  annotations="$(kubectl get "$2" "$3" --namespace="$1" --output=jsonpath='{.metadata.annotations}')" || return
  mark="{\"op\":\"add\",\"path\":\"/metadata/annotations/dynamo.nvidia.com~1released-from\",\"value\":\"$6\"}"
  [ -n "$annotations" ] || mark="{\"op\":\"add\",\"path\":\"/metadata/annotations\",\"value\":{\"dynamo.nvidia.com/released-from\":\"$6\"}}"
  patch="{\"op\":\"test\",\"path\":\"/metadata/ownerReferences/$4/uid\",\"value\":\"$5\"},{\"op\":\"remove\",\"path\":\"/metadata/ownerReferences/$4\"}"
  kubectl patch "$2" "$3" --namespace="$1" --type=json --patch="[$patch,$mark,{\"op\":\"replace\",\"path\":\"/metadata/managedFields\",\"value\":[{}]}]"
}
# Puts an owner reference back.
own() { kubectl patch "$2" "$3" --namespace="$1" --type=merge --patch="{\"metadata\":{\"ownerReferences\":[$4]}}"; }
# Deletes an object of the operator, which keeps a finalizer, and leaves what it owned.
finish() {
  kubectl patch "$2" "$3" --namespace="$1" --type=merge --patch='{"metadata":{"finalizers":null}}'
  kubectl delete "$2" "$3" --namespace="$1" --cascade=orphan
}
# Prints the pods of the graphs with their UIDs. They stay the same if no pod is replaced. Generations do not tell: the API server also counts
# changes of annotations of a Deployment.
pods() {
  for n in $NAMESPACES; do
    kubectl get pods --namespace="$n" --selector=nvidia.com/dynamo-graph-deployment-name --no-headers --output=custom-columns=NAMESPACE:.metadata.namespace,NAME:.metadata.name,UID:.metadata.uid
  done
}

# Step 1. Save everything, and pause what applies the graphs, such as Argo CD or Flux.
#   To go back: nothing has changed.
kubectl get dynamographdeployments.v1alpha1.nvidia.com,dynamocomponentdeployments.nvidia.com --all-namespaces --output=yaml > before.yaml
kubectl get crd dynamographdeployments.nvidia.com dynamocomponentdeployments.nvidia.com --output=yaml > crds.yaml
kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations --output=yaml > webhooks.yaml
pods > pods.before

# Step 2. Stop the operator. From here on, changes of graphs have no effect until step 8. Pods continue to run.
#   To go back: scale it to 1 again.
kubectl scale deployment --namespace="$OPERATOR_NAMESPACE" --selector=app.kubernetes.io/name=dynamo-operator --replicas=0

# Step 3. Remove its webhooks: they refuse every change of a graph while the operator is stopped. List them, and delete those whose service is
# in the namespace of the operator. The CRD of graphs may have a conversion webhook as well.
#   To go back: kubectl apply -f webhooks.yaml -f crds.yaml, and the step before.
kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations --output=custom-columns=KIND:.kind,NAME:.metadata.name,NAMESPACE:.webhooks[*].clientConfig.service.namespace | grep -w -e KIND -e "$OPERATOR_NAMESPACE"
kubectl patch crd dynamographdeployments.nvidia.com --type=json --patch='[{"op":"replace","path":"/spec/conversion","value":{"strategy":"None"}}]'

# Step 4. Remove the owner references of the operator, and its records of managed fields. An annotation shows whose the objects were.
# DATA LOSS: Kubernetes deletes what an object owns together with the object. If a graph, a DynamoComponentDeployment or their CRD is deleted
# before all of these commands have succeeded, workloads, volumes and their data are deleted. Afterwards 'adopt check' must not list any
# owner reference, except for objects of kind DynamoComponentDeployment.
disown inference deployment.v1.apps llama-frontend 0 db6cd388-0abf-538a-8503-dd3358d93458 llama
disown inference leaderworkerset.v1.leaderworkerset.x-k8s.io llama-worker-0 0 db6cd388-0abf-538a-8503-dd3358d93458 llama
disown inference service llama-frontend 0 db6cd388-0abf-538a-8503-dd3358d93458 llama
disown inference service llama-worker 0 db6cd388-0abf-538a-8503-dd3358d93458 llama
disown inference serviceaccount llama-k8s-service-discovery 0 db6cd388-0abf-538a-8503-dd3358d93458 llama
disown inference role.v1.rbac.authorization.k8s.io llama-k8s-service-discovery-role 0 db6cd388-0abf-538a-8503-dd3358d93458 llama
disown inference rolebinding.v1.rbac.authorization.k8s.io llama-k8s-service-discovery-binding 0 db6cd388-0abf-538a-8503-dd3358d93458 llama
# Graph inference/shadow cannot be adopted: 'cannot compose resources: pipeline step "graph" returned a fatal result: metadata.annotations[dynamo.nvidia.com/adopt-from]: Invalid value: "dynamo-operator": cannot adopt PodCliqueSet shadow: clique agg-gms-0 is none of component agg; write its gpuMemoryService, failover and multinode as they were when the operator created it, or replace the graph with another graph'
# It cannot stay, because step 6 deletes its kind. To replace it in step 10, remove the owner references of its objects as well. Its pods
# continue to run, but nothing manages them.
#   disown inference podcliqueset.v1alpha1.grove.io shadow 0 256bfca0-761e-5058-8d12-d39fd1b216f2 shadow
#   To go back: put the references back, and the steps before.
#   own inference deployment.v1.apps llama-frontend '{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","name":"llama","uid":"db6cd388-0abf-538a-8503-dd3358d93458","controller":true,"blockOwnerDeletion":true}'
#   own inference leaderworkerset.v1.leaderworkerset.x-k8s.io llama-worker-0 '{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","name":"llama","uid":"db6cd388-0abf-538a-8503-dd3358d93458","controller":true,"blockOwnerDeletion":true}'
#   own inference service llama-frontend '{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","name":"llama","uid":"db6cd388-0abf-538a-8503-dd3358d93458","controller":true,"blockOwnerDeletion":true}'
#   own inference service llama-worker '{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","name":"llama","uid":"db6cd388-0abf-538a-8503-dd3358d93458","controller":true,"blockOwnerDeletion":true}'
#   own inference serviceaccount llama-k8s-service-discovery '{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","name":"llama","uid":"db6cd388-0abf-538a-8503-dd3358d93458","controller":true,"blockOwnerDeletion":true}'
#   own inference role.v1.rbac.authorization.k8s.io llama-k8s-service-discovery-role '{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","name":"llama","uid":"db6cd388-0abf-538a-8503-dd3358d93458","controller":true,"blockOwnerDeletion":true}'
#   own inference rolebinding.v1.rbac.authorization.k8s.io llama-k8s-service-discovery-binding '{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","name":"llama","uid":"db6cd388-0abf-538a-8503-dd3358d93458","controller":true,"blockOwnerDeletion":true}'
#   own inference podcliqueset.v1alpha1.grove.io shadow '{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","name":"shadow","uid":"256bfca0-761e-5058-8d12-d39fd1b216f2","controller":true,"blockOwnerDeletion":true}'

# Step 5. Delete the graphs of the operator, and what it has made of them for itself. What they owned is left.
# DATA LOSS: do not take this step before step 4 is complete.
#   To go back: kubectl apply -f before.yaml makes graphs with other UIDs, and the operator does not know the objects of the old ones as its own.
#   So from here on it is safer to go on than to go back.
finish inference dynamographdeployments.nvidia.com llama
#   finish inference dynamographdeployments.nvidia.com shadow

# Step 6. Delete the CRDs that this Configuration replaces, or does not need. Crossplane would take over one that exists.
# DATA LOSS: deleting a CRD deletes all of its objects. Graphs that cannot be adopted have to be gone before, or are deleted with their pods.
# Do not delete dynamoworkermetadatas.nvidia.com: frontends would lose all running workers. Do not delete
# dynamographdeploymentscalingadapters.nvidia.com either.
#   To go back: kubectl apply -f crds.yaml
kubectl get dynamographdeployments.nvidia.com,dynamocomponentdeployments.nvidia.com --all-namespaces  # must print that there are none
kubectl delete crd dynamographdeployments.nvidia.com dynamocomponentdeployments.nvidia.com

# Step 7. Install configuration-dynamo: sections 1 to 4 of docs/install.md.
# DATA LOSS: do not uninstall the Helm release of the operator if Grove, KAI, NATS or etcd came with it. They would be uninstalled too, and with
# the CRDs of Grove all of its pods. Turn the operator off in the values of the release instead.
#   To go back: delete the Configuration while there are no graphs.

# Step 8. Apply the graphs. Each takes over its objects, which an event with reason Adopted lists.
#   To go back: kubectl delete dynamographdeployments.nvidia.com NAME --cascade=orphan leaves all objects without an owner, as after step 5.
kubectl apply -f graphs.yaml

# Step 9. Check: no pod was replaced, so diff prints nothing.
kubectl wait --for=condition=Synced dynamographdeployments.nvidia.com/llama --namespace=inference --timeout=5m
pods > pods.after
diff pods.before pods.after

# Step 10. Replace the graphs that cannot be adopted, one after the other. For each: take its manifest from before.yaml, correct what the problem
# names, give it another name, such as that of the graph with -2, and apply it. The pods of the old graph serve in the meantime, so there must be
# GPUs for both. When the new graph is ready, let clients use its Services, and then delete the objects of the old one. Claims stay.
#   To go back: delete the new graph. The old pods run until their objects are deleted.
# Graph inference/shadow: 'cannot compose resources: pipeline step "graph" returned a fatal result: metadata.annotations[dynamo.nvidia.com/adopt-from]: Invalid value: "dynamo-operator": cannot adopt PodCliqueSet shadow: clique agg-gms-0 is none of component agg; write its gpuMemoryService, failover and multinode as they were when the operator created it, or replace the graph with another graph'
#   kubectl wait --for=condition=Ready dynamographdeployments.nvidia.com/shadow-2 --namespace=inference --timeout=1h
#   kubectl delete podcliqueset.v1alpha1.grove.io shadow --namespace=inference
