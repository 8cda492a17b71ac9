package backend

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

// longestName of a model or a component that is read from a command line. No name is longer, and a status with several texts of the size of a
// script would not fit into etcd.
const longestName = 1024

// modelFlags are the flags that name a model, the one that decides under which name it is served first. Those after it are the default of the
// engines.
func modelFlags() []string { return []string{"served-model-name", "model-name", "model", "model-path"} }

// ServedModelName is the name under which the program of a container serves its model. It is empty if no flag has one, or only the cluster knows
// it, such as one in a Secret.
func (t *Texts) ServedModelName(c *corev1.Container) string {
	return known(t.firstFlag(c, modelFlags()...))
}

// RuntimeComponentName is the component with which the program of a container registers: the middle of an endpoint such as
// dyn://namespace.component.endpoint. It is empty if no flag has one, or only the cluster knows it.
// https://github.com/ai-dynamo/dynamo/blob/main/components/src/dynamo/common/utils/runtime.py
func (t *Texts) RuntimeComponentName(c *corev1.Container) string {
	endpoint := strings.TrimPrefix(t.firstFlag(c, "endpoint"), "dyn://")
	parts := strings.Split(endpoint, ".")
	if len(parts) != 3 || slices.Contains(parts, "") || strings.Contains(endpoint, "/") {
		return ""
	}
	return known(parts[1])
}

// known returns a name, unless a part of it is in a variable, it is no name, or it is an address with credentials, which do not belong into the
// status.
func known(name string) string {
	if strings.Contains(name, "$") || len(name) > longestName || strict.HasCredentials(name) {
		return ""
	}
	return name
}

// firstFlag is the value of the first of some flags that a container has, with the last value if a flag has several. A value that is a
// reference to a variable is that of the variable. The flags that follow are not a substitute for a flag whose value is not known.
func (t *Texts) firstFlag(c *corev1.Container, names ...string) string {
	values, open := map[string]string{}, ""
	for word := range t.passedWords(c) {
		name, value, joined := splitFlag(word)
		switch isFlag := strings.HasPrefix(word, "--"); {
		case isFlag && slices.Contains(names, name):
			values[name], open = value, name
			if joined {
				open = ""
			}
		case isFlag:
			open = ""
		case open != "":
			values[open], open = word, ""
		}
	}
	for _, name := range names {
		if value, ok := values[name]; ok {
			return expandReference(value, c)
		}
	}
	return ""
}
