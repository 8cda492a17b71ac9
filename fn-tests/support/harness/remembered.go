package harness

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// remembered are the outputs of renders in this process. Many checks look at what the same manifest becomes on the same platform, and each
// manifest is rendered once for all of them.
type remembered struct{ outputs sync.Map }

// recall the output of a render, which do makes if nobody has asked for it before. A caller may change the output.
func (m *remembered) recall(r Render, do func() (Output, error)) (Output, error) {
	key, err := r.key()
	if err != nil {
		// The program itself says what is wrong with a file.
		return do()
	}
	once, _ := m.outputs.LoadOrStore(key, sync.OnceValues(do))
	render, ok := once.(func() (Output, error))
	if !ok {
		return Output{}, fmt.Errorf("%T is no render", once)
	}
	out, err := render()
	return out.clone(), err
}

// isRepeatable reports whether a second render has the same output. The values of new Secrets are random.
func (r *Render) isRepeatable() bool { return !r.Secrets && !r.Alone }

// key of a render: its options, and what is in its files. Tests write the same Composition to several files. The path of the manifest
// counts, because messages may contain it.
func (r *Render) key() ([sha256.Size]byte, error) {
	all := fmt.Appendln(nil, r.XR, r.ChangesOnly, r.Everything)
	for _, path := range []string{r.XR, r.composition(), r.Cluster, r.Observed} {
		var content []byte
		if path != "" {
			if !filepath.IsAbs(path) {
				path = filepath.Join(Root(), path)
			}
			var err error
			if content, err = os.ReadFile(path); err != nil {
				return [sha256.Size]byte{}, fmt.Errorf("cannot read what is to be rendered: %w", err)
			}
		}
		all = fmt.Appendf(all, "%d\n%s", len(content), content)
	}
	return sha256.Sum256(all), nil
}

// clone of an output that shares nothing that a test changes.
func (o *Output) clone() Output {
	out := *o
	out.Stdout = slices.Clone(o.Stdout)
	if o.Composite != nil {
		out.Composite = o.Composite.DeepCopy()
	}
	out.Composed = make([]*unstructured.Unstructured, len(o.Composed))
	for i, object := range o.Composed {
		out.Composed[i] = object.DeepCopy()
	}
	return out
}
