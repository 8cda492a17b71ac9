package convert

import (
	"slices"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
)

// A path of steps: keys, names of list items after @, and indices of list items after #. In patterns, * matches any step and @* any name.
type path []string

// A pair of paths of a graph that say the same, in v1alpha1 and in v1beta1. A star stands for the same step in both.
type pair struct {
	alpha, beta path
}

// pairs of which the first that the graph has counts.
func pairs() []pair {
	service, component := path{"spec", "services", "*"}, path{"spec", "components", "@*"}
	main := path{"podTemplate", "spec", "containers", "@main"}
	sidecar := path{"podTemplate", "spec", "containers", "@sidecar-frontend"}
	renamed := func(alpha, beta path) pair {
		return pair{alpha: slices.Concat(service, alpha), beta: slices.Concat(component, beta)}
	}
	all := []pair{
		{path{"status", "services"}, path{"status", "components"}},
		{path{"status", "rollingUpdate", "updatedServices"}, path{"status", "rollingUpdate", "updatedComponents"}},

		renamed(path{"subComponentType"}, path{"type"}),
		renamed(path{"frontendSidecar", "envs"}, slices.Concat(sidecar, path{"env"})),
		renamed(path{"frontendSidecar"}, sidecar),
	}
	for _, kind := range []string{"requests", "limits"} {
		resources := slices.Concat(main, path{"resources", kind})
		all = append(all,
			renamed(path{"resources", kind, "gpu"}, slices.Concat(resources, path{"nvidia.com/gpu"})),
			renamed(path{"resources", kind, "custom", "*"}, slices.Concat(resources, path{"*"})),
		)
	}
	mount := path{"volumeMounts", "@*"}
	all = append(all,
		renamed(path{"resources"}, slices.Concat(main, path{"resources"})),
		renamed(slices.Concat(mount, path{"mountPoint"}), slices.Concat(main, mount, path{"mountPath"})),
		renamed(path{"volumeMounts"}, slices.Concat(main, path{"volumeMounts"})),
		renamed(path{"envs"}, slices.Concat(main, path{"env"})),
		renamed(path{"livenessProbe"}, slices.Concat(main, path{"livenessProbe"})),
		renamed(path{"readinessProbe"}, slices.Concat(main, path{"readinessProbe"})),
	)
	for _, r := range conversion.RenamingsInComponents() {
		all = append(all, renamed(r.Alpha, r.Beta))
	}
	all = append(all, renamed(path{"sharedMemory"}, path{"sharedMemorySize"}), renamed(nil, nil))
	for _, r := range conversion.Renamings() {
		all = append(all, pair{alpha: r.Alpha, beta: r.Beta})
	}
	return all
}

// origins of a path of the one version in the other one, the likeliest first. The path itself is the last: most are the same.
func (l *layout) origins(p path) []path {
	var all []path
	for _, pair := range l.pairs {
		from, to := pair.beta, pair.alpha
		if !l.fromAlpha {
			from, to = pair.alpha, pair.beta
		}
		if origin, ok := rewrite(p, from, to); ok {
			all = append(all, origin)
		}
	}
	return append(all, p)
}

// rewrite the path if it begins as a pattern does.
func rewrite(p, from, to path) (path, bool) {
	if len(p) < len(from) {
		return nil, false
	}
	var stars []string
	for i, step := range from {
		switch {
		case step == "*":
			stars = append(stars, p[i])
		case step == "@*" && p[i] != "" && p[i][0] == '@':
			stars = append(stars, p[i][1:])
		case step != p[i]:
			return nil, false
		}
	}
	out := slices.Clone(to)
	for i, step := range out {
		switch {
		case len(stars) == 0:
		case step == "*":
			out[i], stars = stars[0], stars[1:]
		case step == "@*":
			out[i], stars = "@"+stars[0], stars[1:]
		}
	}
	return append(out, p[len(from):]...), true
}
