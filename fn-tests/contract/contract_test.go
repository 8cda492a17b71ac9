// Package contract holds what manifests become to all rules: composition resource names, pod templates, golden files, both forms of the API,
// determinism, permissions, definitions, messages. The manifests are the examples, those of the repository in fn-tests/corpus, and without
// -short those from outside. Each is rendered once on each platform, for all checks.
package contract
