package components

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/engine"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

// flagTransfer is the flag of vLLM with what moves KV caches, as JSON that may name a module of Python.
const flagTransfer = "kv-transfer-config"

// blockManager is the beginning of the modules of the KV block manager, and of its connectors.
const blockManager = "kvbm."

// flagMode is the flag that tells an engine for which phase of inference it is.
const flagMode = "disaggregation-mode"

// FlagWarnings name flags with which an engine does not start, or does not do what its component is for.
func FlagWarnings(f *subject.Facts, components map[string]graphplan.Component) message.List {
	var warnings message.List
	for _, component := range f.Graph.ComponentsByName() {
		framework := components[component.Name].Framework
		main := component.Main()
		// An engine beside its runtime has flags of its own.
		if component.HasRuntimeContainer() {
			continue
		}
		if framework == "" || !f.Graph.CommandLines.RunsEngine(framework, &main) && !component.NamesNoProgram() {
			continue
		}
		argv := slices.Concat(main.Command, main.Args)
		path := graph.MainPath(graph.ComponentPath(component.Name), "args")
		for _, text := range append(removedFlags(f, component.Name, framework, argv), withBlockManager(f, component.Name, &main)...) {
			warnings = append(warnings, message.About(path, "%s", text))
		}
		mode, _ := f.Graph.CommandLines.SettingOf(&main, "", flagMode)
		if text := otherMode(component, framework, mode); text != "" {
			warnings = append(warnings, message.About(path, "%s", text))
		}
	}
	return warnings
}

// removedFlags of a command line that the release in the image no longer accepts. A release that is only assumed says nothing.
func removedFlags(f *subject.Facts, name string, framework v1alpha1.BackendFramework, argv []string) []string {
	version, known := knownVersion(f, name)
	if !known {
		return nil
	}
	flags, _ := f.Graph.CommandLines.Flags(argv)
	var texts []string
	for _, r := range runtime.RemovedFlags() {
		if flags[r.Name] && slices.Contains(r.Frameworks, framework) && version.Compare(r.In) >= 0 {
			texts = append(texts, fmt.Sprintf("contain --%s, with which %s of Dynamo %s ends at once, because the flag was removed in %s; %s",
				r.Name, engine.Module(framework), version, r.In, r.Remedy))
		}
	}
	return texts
}

// otherMode is a mode of an engine that is not that of its component. It is empty if they agree, or the mode is not in the command line.
func otherMode(s *graph.Component, framework v1alpha1.BackendFramework, mode backend.Setting) string {
	phase := cmp.Or(s.SubComponentType, s.ComponentType)
	other := map[string]string{v1alpha1.SubComponentPrefill: v1alpha1.SubComponentDecode, v1alpha1.SubComponentDecode: v1alpha1.SubComponentPrefill}[phase]
	near := strict.Near(mode.Value, []string{v1alpha1.SubComponentPrefill, v1alpha1.SubComponentDecode})
	switch {
	case other == "" || !mode.Known:
		return ""
	case mode.Value == other:
		return fmt.Sprintf("set --%s %s, but this is a %s worker, so that %s does the work of the other phase; set it to %s, or change the type", flagMode, other, phase, engine.Module(framework), phase)
	case near != "":
		return fmt.Sprintf("set --%s to a mode that does not exist; did you mean %q?", flagMode, near)
	default:
		return ""
	}
}

// withBlockManager is what a release says of a command line that loads the KV block manager.
func withBlockManager(f *subject.Facts, name string, main *corev1.Container) []string {
	version, known := knownVersion(f, name)
	if told, _ := f.Graph.CommandLines.SettingOf(main, "", flagTransfer); !known || !strings.Contains(told.Value, `"`+blockManager) {
		return nil
	}
	const remedy = "; use NixlConnector, and the offloading of KV caches that vLLM has itself"
	switch {
	case version.Compare(runtime.BlockManagerRemoved) >= 0:
		return []string{fmt.Sprintf("contain --%s with a module of the KV block manager, which Dynamo %s does not have, so vLLM does not start%s", flagTransfer, version, remedy)}
	case version.Compare(runtime.BlockManagerDeprecated) >= 0:
		return []string{fmt.Sprintf("contain --%s with a module of the KV block manager, which is deprecated in Dynamo %s and gone in %s%s", flagTransfer, version, runtime.BlockManagerRemoved, remedy)}
	default:
		return nil
	}
}
