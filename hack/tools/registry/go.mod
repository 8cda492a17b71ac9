module github.com/dynamo-crossplane/configuration-dynamo/hack/tools/registry

go 1.26

require github.com/google/go-containerregistry v0.21.9
