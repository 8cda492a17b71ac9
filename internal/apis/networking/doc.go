// Package networking contains the fields that the chain writes of APIs that route requests to graphs: the Gateway API, its Inference Extension and
// Istio. The API server sets defaults for all other fields. Istio's own module would add its protobuf definitions and their dependencies.
//
//   - https://gateway-api.sigs.k8s.io/reference/spec/
//   - https://gateway-api-inference-extension.sigs.k8s.io/reference/spec/
//   - https://istio.io/latest/docs/reference/config/networking/virtual-service/
package networking
