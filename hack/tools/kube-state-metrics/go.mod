module github.com/dynamo-crossplane/configuration-dynamo/hack/tools/kube-state-metrics

go 1.26

require k8s.io/kube-state-metrics/v2 v2.18.0
