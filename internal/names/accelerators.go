package names

// Accelerators are the resources that nodes are known to have for engines, beside slices of GPUs, whose names differ from cluster to cluster.
func Accelerators() []string {
	return []string{"nvidia.com/gpu", "amd.com/gpu", "google.com/tpu", "gpu.intel.com/i915", "gpu.intel.com/xe", "habana.ai/gaudi"}
}
