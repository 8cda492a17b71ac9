// Package podresources has pods with resources of every kind, and what a real API server says of each: fn-tests/e2e/versions asks one, and the
// rules of this project are compared with its answers.
package podresources

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// Answers is the file with the answers: a line for each row, with the name of the row and a character for each of its pods.
func Answers() string {
	return filepath.Join(harness.Root(), "fn-tests", "support", "podresources", "answers.tsv")
}

// Accepted and Refused are the answers about a pod.
const (
	Accepted = '+'
	Refused  = '-'
)

// A Row of pods that differ in their amounts.
type Row struct {
	Name string
	Pods []Pod
}

// A Pod with the resources of its main container, of an init container, and of the pod as a whole.
type Pod struct{ Main, Init, Whole map[string]any }

// Table of the answers that ask gives.
func Table(ask func(Pod) bool) string {
	text := &strings.Builder{}
	for _, row := range Rows() {
		text.WriteString(row.Name + "\t")
		for _, pod := range row.Pods {
			if ask(pod) {
				text.WriteByte(Accepted)
			} else {
				text.WriteByte(Refused)
			}
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// Rows are all names at all places with all amounts, then those of containers against those of the pod. None is nvidia.com/gpu, of
// which a graph has fewer than the API server takes.
func Rows() []Row {
	domain := strings.Repeat("a.", 121)
	var rows []Row
	for _, name := range []string{
		"cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "hugepages-1Gi", "hugepages-", "hugepages-x", "hugepages-0", "hugepages-500m",
		"gpu", "memroy", "foo", "pods", "services", "storage", "requests.cpu", "limits.memory", "requests.hugepages-2Mi", "attachable-volumes-x",
		"amd.com/gpu", "rdma/ib", "nvidia.com/mig-1g.10gb", "requests.nvidia.com/gpu", "requests.kubernetes.io/x", "kubernetes.io/x", "foo.kubernetes.io/x",
		"foo-kubernetes.io/x", "deviceclass.resource.kubernetes.io/x", "nvidia.com/", "/gpu", "a b", "a/b/c", "NVIDIA.com/gpu", "nvidia.com/GPU",
		domain + "aa/gpu", domain + "aaa/gpu", "nvidia.com/" + strings.Repeat("g", 63), "nvidia.com/" + strings.Repeat("g", 64),
	} {
		for _, place := range []string{"main", "init", "whole"} {
			row := Row{Name: fmt.Sprintf("%s of %s", name, place)}
			for _, amounts := range [][2]string{
				{"", "1"},
				{"1", ""},
				{"1", "1"},
				{"1", "2"},
				{"2", "1"},
				{"", "0"},
				{"0", ""},
				{"", "-1"},
				{"-1", ""},
				{"", "500m"},
				{"", "0.9999"},
				{"", "1.0001"},
				{"", "2Mi"},
				{"2Mi", ""},
				{"2Mi", "2Mi"},
				{"2Mi", "4Mi"},
				{"4Mi", "2Mi"},
				{"", "3Mi"},
				{"", "1Gi"},
				{"", "100Ei"},
			} {
				r := resources(name, amounts[0], amounts[1])
				pod := Pod{Main: r}
				switch place {
				case "init":
					pod = Pod{Init: r}
				case "whole":
					pod = Pod{Whole: r}
				}
				row.Pods = append(row.Pods, pod)
			}
			rows = append(rows, row)
		}
	}
	return append(rows, fits()...)
}

// fits are what containers and pods request of one resource, one against the other.
func fits() []Row {
	var rows []Row
	amounts := []string{"", "2Mi", "4Mi", "8Mi"}
	for _, name := range []string{"cpu", "memory", "hugepages-2Mi", "ephemeral-storage", "amd.com/gpu"} {
		for _, limit := range amounts {
			row := Row{Name: fmt.Sprintf("%s, and a limit of the whole of %q", name, limit)}
			for _, request := range amounts {
				for _, r := range amounts {
					for _, l := range amounts {
						whole, part := resources(name, request, limit), resources(name, r, l)
						row.Pods = append(row.Pods, Pod{Whole: whole, Main: part}, Pod{Whole: whole, Init: part}, Pod{Whole: whole, Main: part, Init: part})
					}
				}
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// resources with one resource, unless an amount is empty. Pages need memory or cpu beside them, which a LimitRange could add.
func resources(name, request, limit string) map[string]any {
	requests, limits := map[string]any{}, map[string]any{}
	if strings.HasPrefix(name, "hugepages-") {
		requests["memory"] = "1"
	}
	if request != "" {
		requests[name] = request
	}
	if limit != "" {
		limits[name] = limit
	}
	return map[string]any{"requests": requests, "limits": limits}
}
