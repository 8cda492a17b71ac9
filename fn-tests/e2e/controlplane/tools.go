package controlplane

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// tools are the programs that a control plane consists of, by their name in hack/tools.
type tools map[string]string

// Tools are the programs that a whole control plane consists of, by their name in hack/tools.
func Tools() []string {
	return []string{
		"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl",
		"lws", "crossplane", "xpkg", "crane", "registry",
	}
}

// buildTools builds those that are not built yet.
func buildTools(ctx context.Context, root string, names ...string) (tools, error) {
	built := tools{}
	for _, name := range names {
		out, err := run(ctx, root, "hack/tool.sh", name)
		if err != nil {
			return nil, err
		}
		built[name] = strings.TrimSpace(string(out))
	}
	return built, nil
}

// moduleSource is the folder of the source of a module that a tool is built from, which holds its CRDs and its manifests.
func moduleSource(ctx context.Context, root, tool, module string) (string, error) {
	out, err := run(ctx, filepath.Join(root, tool), "go", "mod", "download", "-json", module)
	if err != nil {
		return "", err
	}
	downloaded := struct {
		Dir string `json:"Dir"`
	}{}
	if err := json.Unmarshal(out, &downloaded); err != nil {
		return "", fmt.Errorf("cannot find the source of %s: %w", module, err)
	}
	return downloaded.Dir, nil
}

// run a command to its end and return what it prints.
func run(ctx context.Context, folder, name string, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, name, args...) //nolint:gosec // It runs what it has built itself.
	command.Dir = folder
	command.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("cannot run %s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.String())
	}
	return out, nil
}
