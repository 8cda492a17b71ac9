// Xpkg builds and pushes Crossplane packages with the library that Crossplane's command line builds and pushes them with, and writes the same
// bytes. It is built from the module of Crossplane itself, all of which a cluster on this machine compiles anyway. The command line has the
// libraries of Helm, kustomize, kind and Git in it as well, which take several minutes of processor time to build.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/spf13/afero"

	"github.com/crossplane/crossplane-runtime/v2/pkg/xpkg"
	"github.com/crossplane/crossplane-runtime/v2/pkg/xpkg/parser"
	"github.com/crossplane/crossplane-runtime/v2/pkg/xpkg/parser/examples"
	"github.com/crossplane/crossplane-runtime/v2/pkg/xpkg/parser/yaml"
)

const usage = `usage: xpkg build -package-root=FOLDER -package-file=FILE [-examples-root=FOLDER] [-embed-runtime-image-tarball=FILE]
       xpkg push -package-files=FILE,... REGISTRY/REPOSITORY:TAG`

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "xpkg:", err)
		os.Exit(1)
	}
}

// run the command that the arguments name.
func run(ctx context.Context, args []string) error {
	if len(args) > 0 {
		switch flags := flag.NewFlagSet("xpkg "+args[0], flag.ExitOnError); args[0] {
		case "build":
			source := source{}
			flags.StringVar(&source.root, "package-root", ".", "the folder with the crossplane.yaml of the package")
			flags.StringVar(&source.examples, "examples-root", "examples", "the folder with the examples; none if it does not exist")
			flags.StringVar(&source.image, "embed-runtime-image-tarball", "", "the image that a function runs, as a tar file")
			file := flags.String("package-file", "", "where to write the package")
			if _ = flags.Parse(args[1:]); flags.NArg() == 0 && *file != "" {
				return source.build(ctx, *file)
			}
		case "push":
			files := flags.String("package-files", "", "the packages, one for each architecture")
			if _ = flags.Parse(args[1:]); flags.NArg() == 1 && *files != "" {
				return push(ctx, strings.Split(*files, ","), flags.Arg(0))
			}
		}
	}
	return fmt.Errorf("unknown command or arguments\n%s", usage)
}

// A source is what a package is built from: folders, and the image of a function.
type source struct{ root, examples, image string }

// build writes the package.
func (s source) build(ctx context.Context, file string) error {
	decoder, err := yaml.New()
	if err != nil {
		return fmt.Errorf("cannot read packages: %w", err)
	}
	var options []xpkg.BuildOpt
	if s.image != "" {
		runtime, err := tarball.ImageFromPath(s.image, nil)
		if err != nil {
			return fmt.Errorf("cannot read image %s: %w", s.image, err)
		}
		options = append(options, xpkg.WithBase(runtime))
	}
	image, _, err := xpkg.New(manifests(s.root), manifests(s.examples), decoder, examples.New()).Build(ctx, options...)
	if err != nil {
		return fmt.Errorf("cannot build a package from %s: %w", s.root, err)
	}
	if err := tarball.WriteToFile(file, nil, image); err != nil {
		return fmt.Errorf("cannot write package %s: %w", file, err)
	}
	return nil
}

// manifests are the YAML files of a folder and of the folders in it.
func manifests(folder string) parser.Backend {
	return parser.NewFsBackend(afero.NewOsFs(), parser.FsDir(folder), parser.FsFilters(parser.SkipDirs(), parser.SkipNotYAML(), parser.SkipEmpty()))
}

// push pushes one package as it is, and several, which are those of one function for several architectures, below an index.
func push(ctx context.Context, files []string, to string) error {
	tag, err := name.NewTag(to, name.StrictValidation)
	if err != nil {
		return fmt.Errorf("cannot push to %q: %w", to, err)
	}
	registry := []remote.Option{remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain)}
	index := v1.ImageIndex(empty.Index)
	for _, file := range files {
		image, err := read(file)
		if err != nil {
			return err
		}
		if len(files) == 1 {
			return pushed(tag, remote.Write(tag, image, registry...))
		}
		entry, err := describe(image)
		if err != nil {
			return fmt.Errorf("cannot describe package %s: %w", file, err)
		}
		digest := tag.Digest(entry.Digest.String())
		if err := pushed(digest, remote.Write(digest, image, registry...)); err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{MediaType: entry.MediaType, Platform: entry.Platform}})
	}
	return pushed(tag, remote.WriteIndex(tag, index, registry...))
}

// read reads a package. The labels of its configuration become annotations of its layers, by which Crossplane finds the manifests.
func read(file string) (v1.Image, error) {
	image, err := tarball.ImageFromPath(file, nil)
	if err != nil {
		return nil, fmt.Errorf("cannot read package %s: %w", file, err)
	}
	annotated, err := xpkg.AnnotateLayers(image)
	if err != nil {
		return nil, fmt.Errorf("cannot annotate the layers of package %s: %w", file, err)
	}
	return annotated, nil
}

// describe an image as an index does.
func describe(image v1.Image) (v1.Descriptor, error) {
	digest, err := image.Digest()
	if err != nil {
		return v1.Descriptor{}, err
	}
	media, err := image.MediaType()
	if err != nil {
		return v1.Descriptor{}, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return v1.Descriptor{}, err
	}
	return v1.Descriptor{
		MediaType: media, Digest: digest,
		Platform: &v1.Platform{Architecture: config.Architecture, OS: config.OS, OSVersion: config.OSVersion},
	}, nil
}

// pushed adds to an error where a package was pushed to.
func pushed(to name.Reference, err error) error {
	if err != nil {
		return fmt.Errorf("cannot push to %s: %w", to, err)
	}
	return nil
}
