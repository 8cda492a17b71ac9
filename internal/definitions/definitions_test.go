package definitions

import "testing"

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
