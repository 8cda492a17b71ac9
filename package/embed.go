// Package install contains manifests that are installed beside the packages, so that the command line knows what they allow.
package install

import _ "embed"

// Permissions that Crossplane needs in addition to its own: a ClusterRole.
//
//go:embed rbac.yaml
var Permissions []byte

// Tenants are the ClusterRoles of people who edit and view graphs.
//
//go:embed tenants.yaml
var Tenants []byte
