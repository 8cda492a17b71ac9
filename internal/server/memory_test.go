package server

import (
	"math"
	"runtime/debug"
	"testing"
	"testing/fstest"

	"github.com/crossplane/function-sdk-go/logging"
)

func TestLimitMemory(t *testing.T) {
	const unlimited = math.MaxInt64
	cases := map[string]struct {
		reason string
		file   string
		data   string
		given  int64
		want   int64
	}{
		"V2":          {reason: "A tenth of the limit is left for what Go does not count.", file: "memory.max", data: "536870912\n", given: unlimited, want: 483183821},
		"V1":          {reason: "The older cgroups have the limit in another file.", file: "memory/memory.limit_in_bytes", data: "536870912\n", given: unlimited, want: 483183821},
		"Given":       {reason: "A limit that the environment gives stays.", file: "memory.max", data: "536870912\n", given: 1 << 30, want: 1 << 30},
		"UnlimitedV2": {reason: "A container without a limit has no memory limit for Go.", file: "memory.max", data: "max\n", given: unlimited, want: unlimited},
		"UnlimitedV1": {reason: "A limit above all memory that exists is none.", file: "memory/memory.limit_in_bytes", data: "9223372036854771712\n", given: unlimited, want: unlimited},
		"Garbled":     {reason: "What is no number says nothing.", file: "memory.max", data: "much", given: unlimited, want: unlimited},
		"NoCgroups":   {reason: "Outside of a container there may be no file with the limit.", file: "cpu.max", data: "1", given: unlimited, want: unlimited},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before := debug.SetMemoryLimit(tc.given)
			defer debug.SetMemoryLimit(before)
			returned := LimitMemory(fstest.MapFS{tc.file: {Data: []byte(tc.data)}}, logging.NewNopLogger())
			if got := debug.SetMemoryLimit(-1); got != tc.want {
				t.Errorf("%s\nLimitMemory(...): want a limit of %d, got %d", tc.reason, tc.want, got)
			}
			want := tc.want
			if want == unlimited {
				want = 0
			}
			if returned != want {
				t.Errorf("%s\nLimitMemory(...): want it to return %d, got %d", tc.reason, want, returned)
			}
		})
	}
}
