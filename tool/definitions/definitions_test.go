package definitions

import (
	"testing"

	kubeschema "k8s.io/apimachinery/pkg/runtime/schema"
)

func TestCRD(t *testing.T) {
	for _, name := range []string{Graph, Claim, Composite} {
		crd, err := CRD(name)
		if err != nil {
			t.Fatal(err)
		}
		if crd.Spec.Group != "nvidia.com" || len(crd.Spec.Versions) != 2 {
			t.Errorf("%s: want both versions of graphs, got %s", name, crd.Name)
		}
	}
	if _, err := CRD("absent"); err == nil {
		t.Error("want an error for a definition that does not exist")
	}
}

func TestComposed(t *testing.T) {
	validators := &Validators{}
	for kind, name := range composed() {
		crd, err := CRD(name)
		if err != nil {
			t.Fatal(err)
		}
		if crd.Spec.Group != kind.Group || crd.Spec.Names.Kind != kind.Kind {
			t.Errorf("%s is the definition of %s, want that of %s", name, crd.Name, kind)
		}
		for range 2 {
			if v, err := validators.Composed(kind.WithVersion(crd.Spec.Versions[0].Name)); err != nil || v == nil {
				t.Errorf("%s: want a validator, got %v, %v", kind, v, err)
			}
		}
		if _, err := validators.Composed(kind.WithVersion("v0")); err == nil {
			t.Errorf("%s: want an error for another version", kind)
		}
	}
	if v, err := validators.Composed(kubeschema.GroupVersionKind{Group: "example.org", Version: "v1", Kind: "Box"}); v != nil || err != nil {
		t.Errorf("want no validator of a kind that is not known, got %v, %v", v, err)
	}
}

// BenchmarkValidator measures what a command spends before it validates its first object.
func BenchmarkValidator(b *testing.B) {
	for _, name := range []string{Graph, "podcliquesets", "leaderworkersets"} {
		crd, err := CRD(name)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := (&Validators{}).Of(name, crd.Spec.Versions[0].Name); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
