package main

import (
	"context"
	"os"
	"slices"

	"github.com/crossplane/function-sdk-go/errors"
	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/functions"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/render"
)

// liveCluster is the name of the cluster of the kubeconfig.
const liveCluster = "live"

// defaultCluster is the name of the embedded cluster that is used unless another one is named.
const defaultCluster = "grove-kai"

// fullCluster is the name of the embedded cluster that offers all that the project knows.
const fullCluster = "all"

// previewFlags are those of commands that preview graphs in files.
type previewFlags struct {
	platformFlags

	fileFlags

	Paths []string `arg:"" help:"Files, folders or patterns with graphs, or - for standard input. Objects of other kinds are skipped; graphs may refer to them." name:"path" optional:""`
}

// fileFlags name files as those of kubectl do.
type fileFlags struct {
	Files     []string `help:"Files, folders or patterns, or - for standard input, as in the arguments. Can be repeated." name:"filename" placeholder:"PATH" short:"f"`
	Recursive bool     `help:"Read folders in folders too." short:"R"`
}

// paths of the arguments and of the flag.
func (f *fileFlags) paths(arguments []string) []string { return slices.Concat(arguments, f.Files) }

// kubectlFlags choose the cluster that is read, as those of kubectl do.
type kubectlFlags struct {
	Kubeconfig string `help:"The kubeconfig that kubectl reads." placeholder:"PATH"`
	Context    string `help:"The context of the kubeconfig."     placeholder:"NAME"`
}

// live cluster, as it is now: nothing is read twice.
func (f *kubectlFlags) live(ctx context.Context) *preview.Live {
	return &preview.Live{Kubeconfig: f.Kubeconfig, Context: f.Context, Run: preview.Kubectl(ctx), Send: preview.KubectlWithInput(ctx)}
}

// platformFlags describe the platform on which graphs are previewed.
type platformFlags struct {
	Cluster string `default:"grove-kai"                                                                                                                                                 help:"What the cluster offers: all, grove, grove-kai, kueue, lws-dra, lws-kubernetes, lws-volcano, none, a file or folder with its objects, such as the output of cluster record, or live, which reads the cluster of the kubeconfig." placeholder:"NAME" values:"all,grove,grove-kai,kueue,lws-dra,lws-kubernetes,lws-volcano,none,live"`

	kubectlFlags

	Composition string `help:"A YAML file with the Composition, in place of the Composition of this project."                                                                            placeholder:"PATH"`
	Input       string `help:"A YAML file with the input of step plan, in place of the input in the Composition."                                                 placeholder:"PATH"`
	Claims      bool   `help:"Treat graphs as claims. Graphs with a field that only claims have are always treated as claims."`
	Namespace   string `help:"Namespace of graphs that do not specify a namespace. Without this flag: default."                                                              placeholder:"NAME" short:"n"`
}

// read the files.
func (f *previewFlags) read(std streams) (*manifest.Files, error) {
	paths := f.paths(f.Paths)
	if len(paths) == 0 {
		return nil, usageError{errors.New("expected paths of graphs, or - for standard input")}
	}
	files, err := manifest.Reader{In: std.in, Recursive: f.Recursive}.Read(paths)
	if err != nil {
		return nil, usageError{err}
	}
	if len(files.Graphs()) == 0 && len(files.Problems)+len(files.Unbuilt)+len(files.Mistaken()) == 0 {
		note(std, files)
		hint := ""
		if !f.Recursive && slices.ContainsFunc(paths, hasFolders) {
			hint = "; --recursive reads folders in folders, too"
		}
		return nil, usageError{errors.Errorf("there is no DynamoGraphDeployment in the %d objects that were read%s", len(files.Objects)+files.Others, hint)}
	}
	return files, nil
}

// hasFolders reports whether a path is that of a folder with folders.
func hasFolders(path string) bool {
	entries, err := os.ReadDir(path)
	return err == nil && slices.ContainsFunc(entries, os.DirEntry.IsDir)
}

// doubt says which files may not be what is applied.
func doubt(std streams, files *manifest.Files) {
	for _, p := range files.Doubts {
		std.err.Printf("%s: warning: %s\n", p.Position, p.Message)
	}
}

// note what is known in files and not applied.
func note(std streams, files *manifest.Files) {
	for _, line := range files.NotApplied() {
		std.err.Printf("%s\n", line)
	}
}

// previewer of the graphs.
func (f *platformFlags) previewer(ctx context.Context) (*preview.Previewer, error) {
	p := &preview.Previewer{Functions: functions.All(logging.NewNopLogger()), Namespace: f.Namespace, Claims: f.Claims}
	var err error
	if f.Composition != "" {
		if p.Composition, err = render.Composition(f.Composition); err != nil {
			return nil, usageError{errors.Wrapf(err, "cannot load Composition from %q", f.Composition)}
		}
	}
	if f.Input != "" {
		if p.Input, err = preview.InputIn(f.Input); err != nil {
			return nil, usageError{err}
		}
	}
	if f.Cluster == liveCluster {
		p.Cluster = f.live(ctx)
		return p, nil
	}
	if p.Cluster, err = preview.EmbeddedCluster(f.Cluster); p.Cluster != nil || err != nil {
		return p, err
	}
	if p.Objects, err = preview.ClusterNamed(f.Cluster); err != nil {
		return nil, usageError{err}
	}
	if p.Policies, err = preview.PoliciesIn(f.Cluster); err != nil {
		return nil, usageError{err}
	}
	return p, nil
}
