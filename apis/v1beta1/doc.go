// Package v1beta1 holds the current version of the API that this project publishes: the DynamoGraphDeployment of NVIDIA
// Dynamo, version nvidia.com/v1beta1, field for field. What is the same in both versions is a type of package v1alpha1. The
// CompositeResourceDefinitions under apis/ are generated from the types of both versions.
//
// +kubebuilder:object:generate=true
// +groupName=nvidia.com
// +versionName=v1beta1
package v1beta1
