module github.com/dynamo-crossplane/configuration-dynamo/hack/tools/promtool

go 1.26

require github.com/prometheus/prometheus v0.313.1
