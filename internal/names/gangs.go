package names

import "strings"

// SchedulingGroup is the name of the PodGroup of Kubernetes for the pods of a LeaderWorkerSet. The generation tells the pods of one template
// from those that they replace: it is empty, or comes from GenerationOfPods.
func SchedulingGroup(set, generation string) string {
	if generation == "" {
		return set
	}
	return set + "-" + generation
}

// GenerationOfPods is one with a hash in hexadecimal digits, of which there are at least eight. It begins with a letter, so that it is not the
// number of a replica.
func GenerationOfPods(hash string) string { return "g" + hash[:8] }

// GenerationOfSchedulingGroup is what SchedulingGroup made the name of a PodGroup of. ok is false for a PodGroup of anything else than the set.
func GenerationOfSchedulingGroup(set, group string) (generation string, ok bool) {
	if group == set {
		return "", true
	}
	generation, ok = strings.CutPrefix(group, set+"-")
	hash, prefixed := strings.CutPrefix(generation, "g")
	return generation, ok && prefixed && len(hash) == 8 && strings.Trim(hash, "0123456789abcdef") == ""
}
