package input

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

func validateGuardRails(path *field.Path, in *v1alpha1.GuardRails) field.ErrorList {
	var errs field.ErrorList
	for _, limit := range []struct {
		name string
		most *int64
	}{{"maxGPUs", in.MaxGPUs}, {"maxNodes", in.MaxNodes}, {"maxReplicas", in.MaxReplicas}} {
		if limit.most != nil && *limit.most < 0 {
			errs = append(errs, field.Invalid(path.Child(limit.name), *limit.most, "must be at least 0; remove it if there is no limit"))
		}
	}
	for _, list := range []struct {
		name    string
		entries []string
	}{
		{"queues", in.Queues},
		{"imageRegistries", in.ImageRegistries},
		{"serviceAccounts", in.ServiceAccounts},
		{"storageClasses", in.StorageClasses},
		{"ingressHostSuffixes", in.IngressHostSuffixes},
		{"gateways", in.Gateways},
		{"capabilities", in.Capabilities},
	} {
		fieldPath := path.Child(list.name)
		errs = append(errs, atMost(fieldPath, len(list.entries))...)
		for i, entry := range list.entries {
			if problem := problemOf(list.name, entry); problem != "" {
				errs = append(errs, field.Invalid(fieldPath.Index(i), entry, problem))
			}
		}
	}
	return errs
}

// problemOf an entry that would never match what it is meant for. It is empty if there is none.
func problemOf(list, entry string) string {
	switch {
	case entry == "" || strings.TrimSpace(entry) != entry:
		return "must be a name, in which an asterisk stands for any characters"
	case list == "imageRegistries" && strings.Contains(entry, "://"):
		return "must be a registry or a repository, such as nvcr.io/nvidia, without a scheme"
	case list == "ingressHostSuffixes" && strings.HasPrefix(entry, "."):
		return "must be a domain, such as apps.example.org, without a dot at the beginning"
	case list == "gateways" && strings.Count(entry, "/") != 1:
		return "must be namespace/name, such as istio-system/public, or istio-system/* for all gateways of a namespace"
	case list == "capabilities" && strings.HasPrefix(entry, "CAP_"):
		return "must be the name of a capability without CAP_, such as IPC_LOCK"
	default:
		return ""
	}
}
