package render

import (
	"context"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/server"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/document"
)

// A Command renders a composite resource. Its arguments and flags are those of "crossplane composition render", and in addition one for the
// values of Secrets, which that command prints, and one for the namespace. With the composite resource alone, it is rendered with what is known.
type Command struct {
	CompositeResource string `arg:"" help:"A YAML file with the composite resource (XR) to render, or - for standard input."                                                                                                                          optional:""`
	Composition       string `arg:"" help:"A YAML file with the Composition to render it with. Its mode must be Pipeline. Without it, the Composition of this project."                                                                               optional:""`
	Functions         string `arg:"" help:"A YAML file or directory of YAML files with the Functions that the Composition uses. They run in this process, regardless of the runtime in their annotations. Without it, the functions of this program." optional:""`

	ContextFiles           map[string]string `help:"Context of the pipeline, as key=file pairs, with files in JSON or YAML."`
	ContextValues          map[string]string `help:"Context of the pipeline, as key=value pairs, in JSON or YAML, which take precedence over --context-files."`
	ExtraResources         []string          `help:"The former name of --required-resources."                                                                                                                                     hidden:""                                 placeholder:"PATH"`
	IncludeContext         bool              `help:"Also print the context of the pipeline, as an object of kind Context."                                                                                             short:"c"`
	IncludeFullXR          bool              `help:"Print the whole composite resource, not only the fields that the render changes."                                                                                             name:"include-full-xr"                    short:"x"`
	IncludeFunctionResults bool              `help:"Also print the results of the functions, as objects of kind Result."                                                                                               short:"r"`
	IncludeSecretData      bool              `help:"Print the values of Secrets, including private keys. Without this flag they are REDACTED."`
	Namespace              string            `help:"Namespace of a composite resource that does not specify a namespace. Without this flag: default."                                                               placeholder:"NAME"                        short:"n"`
	ObservedResources      string            `help:"A YAML file or directory with the composed resources that already exist. -o is not the format of the output."                                                                                       placeholder:"PATH"                        short:"o"`
	RequiredResources      []string          `help:"A YAML file or directory with other objects of the cluster that the functions may require. Can be repeated."                                                    placeholder:"PATH"                        short:"e"`
	IncludeRevisions       bool              `help:"Also print ControllerRevisions, which repeat the pod templates. Not with three arguments."`
	Timeout                time.Duration     `default:"1m"                                                                                                                                                                        help:"How long to run before timing out."`
}

// Known is what a composite resource is rendered with if the arguments do not say it.
type Known func(xr *unstructured.Unstructured) (*Input, error)

// Execute the command with the functions of this program.
func (c *Command) Execute(ctx context.Context, in io.Reader, out io.Writer, chain []server.Function, known Known) error {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()

	input, err := c.load(in, chain, known)
	if err != nil {
		return err
	}
	rendered, err := Render(ctx, *input)
	if err != nil {
		return errors.Wrap(err, "cannot render composite resource")
	}

	if !c.IncludeSecretData {
		Redact(rendered.ComposedResources)
	}
	xr := *rendered.CompositeResource
	if c.IncludeFullXR {
		xr.Object = merged(input.CompositeResource.Object, xr.Object)
	}
	composed := rendered.ComposedResources
	if c.Composition == "" && !c.IncludeRevisions {
		composed = slices.DeleteFunc(composed, func(o unstructured.Unstructured) bool { return o.GetKind() == "ControllerRevision" })
	}
	objects := append([]unstructured.Unstructured{xr}, composed...)
	if c.IncludeFunctionResults {
		objects = append(objects, rendered.Results...)
	}
	if c.IncludeContext && rendered.Context != nil {
		objects = append(objects, *rendered.Context)
	}
	return write(out, objects)
}

// load the files in the arguments and flags.
func (c *Command) load(in io.Reader, chain []server.Function, known Known) (*Input, error) {
	xr, err := loadCompositeResource(c.CompositeResource, in)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot load composite resource from %q", c.CompositeResource)
	}
	if err := EnterNamespace(xr, c.Namespace); err != nil {
		return nil, errors.Wrapf(err, "cannot render composite resource from %q", c.CompositeResource)
	}
	if c.Composition != "" {
		known = func(xr *unstructured.Unstructured) (*Input, error) { return c.described(xr, chain) }
	}
	out, err := known(xr)
	if err != nil {
		return nil, err
	}
	if c.ObservedResources != "" {
		out.ObservedResources, err = Objects(c.ObservedResources, nil)
		if err != nil {
			return nil, errors.Wrapf(err, "cannot load observed composed resources from %q", c.ObservedResources)
		}
	}
	for _, path := range append(c.RequiredResources, c.ExtraResources...) {
		more, err := Objects(path, nil)
		if err != nil {
			return nil, errors.Wrapf(err, "cannot load required resources from %q", path)
		}
		out.RequiredResources = append(out.RequiredResources, more...)
	}
	out.Context, err = c.context()
	return out, err
}

// described by the arguments.
func (c *Command) described(xr *unstructured.Unstructured, chain []server.Function) (*Input, error) {
	comp, err := Composition(c.Composition)
	if err == nil {
		err = Check(comp, xr)
	}
	if err != nil {
		return nil, errors.Wrapf(err, "cannot load Composition from %q", c.Composition)
	}
	declared, err := Objects(c.Functions, nil)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot load functions from %q", c.Functions)
	}
	functions, err := runnersOf(comp.Spec.Pipeline, declared, chain)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot use functions from %q", c.Functions)
	}
	return &Input{CompositeResource: xr, Composition: comp, Functions: functions}, nil
}

func loadCompositeResource(path string, in io.Reader) (*unstructured.Unstructured, error) {
	xr, err := single(path, in)
	if err != nil {
		return nil, err
	}
	if xr.GetName() == "" {
		return nil, errors.New("it has no metadata.name")
	}
	return xr, nil
}

// context from the flags. nil if there is none.
func (c *Command) context() (*structpb.Struct, error) {
	raw := make(map[string][]byte, len(c.ContextFiles)+len(c.ContextValues))
	for _, key := range slices.Sorted(maps.Keys(c.ContextFiles)) {
		data, err := os.ReadFile(c.ContextFiles[key])
		if err != nil {
			return nil, errors.Wrapf(err, "cannot read context value for key %q", key)
		}
		raw[key] = data
	}
	for key, value := range c.ContextValues {
		raw[key] = []byte(value)
	}
	if len(raw) == 0 {
		return nil, nil //nolint:nilnil // No context is not an error.
	}

	out := &structpb.Struct{Fields: make(map[string]*structpb.Value, len(raw))}
	for _, key := range slices.Sorted(maps.Keys(raw)) {
		content, err := document.Document{Text: raw[key]}.ReadStrict()
		if err != nil {
			return nil, errors.Wrapf(err, "cannot parse context value for key %q", key)
		}
		value, err := structpb.NewValue(content.Value)
		if err != nil {
			return nil, errors.Wrapf(err, "cannot encode context value for key %q", key)
		}
		out.Fields[key] = value
	}
	return out, nil
}
