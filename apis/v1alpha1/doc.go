// Package v1alpha1 holds the API that this project publishes: the DynamoGraphDeployment of NVIDIA Dynamo, version
// nvidia.com/v1alpha1, field for field. The CompositeResourceDefinitions under apis/ are generated from these types.
//
// +kubebuilder:object:generate=true
// +groupName=nvidia.com
// +versionName=v1alpha1
package v1alpha1
