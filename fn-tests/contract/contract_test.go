// Package contract holds what manifests become to all rules, on which those rely who have graphs in a cluster: composition resource names, pod
// templates, golden files, both forms of the API, determinism, permissions, definitions, messages. No object is created whose name was not
// looked up before, and no two graphs of a namespace share one. The manifests are the examples, those of the repository in
// fn-tests/support/corpus, and without -short those from outside. Each is rendered once on each platform, for all checks.
package contract
