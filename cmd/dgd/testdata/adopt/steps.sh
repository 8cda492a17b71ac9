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
# Graph inference/later cannot be adopted: 'cannot compose resources: pipeline step "graph" returned a fatal result: spec.components: Required value: at least one component is required'
disown inference deployment.v1.apps llama-frontend 0 d1330b5a-4993-5ca3-9a87-14c127f16575 llama
disown inference deployment.v1.apps llama-decode-1f2e3d4c 0 44a974fc-9b11-5366-b12e-3439d06c3382 llama
disown inference service llama-frontend 0 d1330b5a-4993-5ca3-9a87-14c127f16575 llama
disown inference service llama-decode-1f2e3d4c 0 44a974fc-9b11-5366-b12e-3439d06c3382 llama
disown inference persistentvolumeclaim models 0 87b587bc-a3c3-5f5f-b423-13d77351c052 llama
disown inference serviceaccount llama-k8s-service-discovery 0 79b7aa4c-5dac-5165-9c89-b3ce58b8030d llama
disown inference role.v1.rbac.authorization.k8s.io llama-k8s-service-discovery-role 0 85fcd2de-a237-51ce-a6af-9dc3a167b61c llama
disown inference rolebinding.v1.rbac.authorization.k8s.io llama-k8s-service-discovery-binding 0 0a193a4b-253c-557b-96c0-f3bb9d40b51e llama
#   To go back: put the references back, and the steps before.
#   own inference deployment.v1.apps llama-frontend '{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoComponentDeployment","name":"llama-frontend","uid":"d1330b5a-4993-5ca3-9a87-14c127f16575","controller":true,"blockOwnerDeletion":true}'
#   own inference deployment.v1.apps llama-decode-1f2e3d4c '{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoComponentDeployment","name":"llama-decode-1f2e3d4c","uid":"44a974fc-9b11-5366-b12e-3439d06c3382","controller":true,"blockOwnerDeletion":true}'
#   own inference service llama-frontend '{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoComponentDeployment","name":"llama-frontend","uid":"d1330b5a-4993-5ca3-9a87-14c127f16575","controller":true,"blockOwnerDeletion":true}'
#   own inference service llama-decode-1f2e3d4c '{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoComponentDeployment","name":"llama-decode-1f2e3d4c","uid":"44a974fc-9b11-5366-b12e-3439d06c3382","controller":true,"blockOwnerDeletion":true}'
#   own inference persistentvolumeclaim models '{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","name":"llama","uid":"87b587bc-a3c3-5f5f-b423-13d77351c052","controller":true,"blockOwnerDeletion":true}'
#   own inference serviceaccount llama-k8s-service-discovery '{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","name":"llama","uid":"79b7aa4c-5dac-5165-9c89-b3ce58b8030d","controller":true,"blockOwnerDeletion":true}'
#   own inference role.v1.rbac.authorization.k8s.io llama-k8s-service-discovery-role '{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","name":"llama","uid":"85fcd2de-a237-51ce-a6af-9dc3a167b61c","controller":true,"blockOwnerDeletion":true}'
#   own inference rolebinding.v1.rbac.authorization.k8s.io llama-k8s-service-discovery-binding '{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","name":"llama","uid":"0a193a4b-253c-557b-96c0-f3bb9d40b51e","controller":true,"blockOwnerDeletion":true}'

# Step 5. Delete the graphs of the operator, and what it has made of them for itself. What they owned is left.
# DATA LOSS: do not take this step before step 4 is complete.
#   To go back: kubectl apply -f before.yaml makes graphs with other UIDs, and the operator does not know the objects of the old ones as its own.
#   So from here on it is safer to go on than to go back.
finish inference dynamocomponentdeployment.v1alpha1.nvidia.com llama-frontend
finish inference dynamocomponentdeployment.v1alpha1.nvidia.com llama-decode-1f2e3d4c
finish inference dynamographdeployments.nvidia.com llama

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
