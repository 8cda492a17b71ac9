module github.com/dynamo-crossplane/configuration-dynamo/hack/tools/hugo

go 1.26.0

require github.com/gohugoio/hugo v0.165.0
