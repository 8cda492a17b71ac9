package gang

import "testing"

func TestLimit(t *testing.T) {
	const (
		strategy = "nvidia.com/deployment-strategy"
		most     = "nvidia.com/deployment-rolling-update-max-unavailable"
	)
	cases := map[string]struct {
		reason      string
		annotations map[string]string
		want        int
	}{
		"Default":    {reason: "By default one replica rolls at a time.", want: 1},
		"Number":     {reason: "A number counts replicas.", annotations: map[string]string{most: "3"}, want: 3},
		"Percent":    {reason: "A percentage of the replicas is rounded down.", annotations: map[string]string{most: "39%"}, want: 3},
		"TooLittle":  {reason: "A percentage that comes to less than one replica lets one go first.", annotations: map[string]string{most: "5%"}, want: 1},
		"None":       {reason: "Where none may be unavailable nothing would ever roll.", annotations: map[string]string{most: "0"}, want: 1},
		"Rolling":    {reason: "The strategy by its name is the default.", annotations: map[string]string{strategy: "RollingUpdate"}, want: 1},
		"Recreate":   {reason: "Nothing bounds a strategy that is not rolling.", annotations: map[string]string{strategy: "Recreate", most: "1"}, want: 1 << 30},
		"Unreadable": {reason: "What is no number is refused by step plan, and bounds as the default does.", annotations: map[string]string{most: "many"}, want: 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := min(Limit(tc.annotations, 8), 1<<30); got != tc.want {
				t.Errorf("%s\nLimit(...): want %d, got %d", tc.reason, tc.want, got)
			}
		})
	}
}
