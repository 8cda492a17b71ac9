package strict

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

type mode string

type inner struct {
	Size  resource.Quantity `json:"size,omitempty"`
	Level *int32            `json:"level,omitempty"`
}

type sample struct {
	corev1.PodSpec `json:",inline"`

	Name    string                       `json:"name"`
	Mode    mode                         `json:"mode,omitempty"`
	Count   int32                        `json:"count,omitempty"`
	Big     int64                        `json:"big,omitempty"`
	Share   *float64                     `json:"share,omitempty"`
	On      *bool                        `json:"on,omitempty"`
	Inner   *inner                       `json:"inner,omitempty"`
	Labels  map[string]string            `json:"labels,omitempty"`
	Amounts map[mode]resource.Quantity   `json:"amounts,omitempty"`
	Blob    []byte                       `json:"blob,omitempty"`
	Port    intstr.IntOrString           `json:"port,omitempty"`
	At      metav1.Time                  `json:"at,omitempty"`
	Precise metav1.MicroTime             `json:"precise,omitempty"`
	After   metav1.Duration              `json:"after,omitempty"`
	Raw     *runtime.RawExtension        `json:"raw,omitempty"`
	Any     any                          `json:"any,omitempty"`
	Main    *corev1.Container            `json:"main,omitempty"`
	Envs    []corev1.EnvVar              `json:"envs,omitempty"`
	Pods    map[string]corev1.Container  `json:"pods,omitempty"`
	Hidden  string                       `json:"-"`
	Matrix  [][]string                   `json:"matrix,omitempty"`
	Odd     map[string]map[string]string `json:"odd,omitempty"`
}

// object is what every case needs besides what it tests.
func object(kv ...any) map[string]any {
	out := map[string]any{"name": "x"}
	for pair := range slices.Chunk(kv, 2) {
		out[fmt.Sprint(pair[0])] = pair[1]
	}
	return out
}

func nested(levels int) any {
	var v any = "x"
	for range levels {
		v = map[string]any{"a": v}
	}
	return v
}

func TestDecodeValues(t *testing.T) {
	cases := map[string]struct {
		reason string
		in     map[string]any
		want   sample
	}{
		"Scalars": {
			reason: "Numbers arrive as float64 from a protobuf Struct and as int64 from YAML.",
			in:     object("mode", "m", "count", float64(3), "big", int64(1<<40), "share", 0.25, "on", false),
			want:   sample{Name: "x", Mode: "m", Count: 3, Big: 1 << 40, Share: new(0.25), On: new(false)},
		},
		"Nulls": {
			reason: "The API server drops a null field, in maps of lists too.",
			in: object("mode", nil, "inner", map[string]any{"level": nil}, "labels", map[string]any{"a": nil, "b": "c"},
				"envs", []any{map[string]any{"name": "A", "value": nil}}, "any", map[string]any{"a": nil, "b": []any{nil}}),
			want: sample{
				Name: "x", Inner: &inner{}, Labels: map[string]string{"b": "c"}, Envs: []corev1.EnvVar{{Name: "A"}},
				Any: map[string]any{"b": []any{nil}},
			},
		},
		"Quantities": {
			reason: "A quantity may be written as a number.",
			in:     object("amounts", map[string]any{"a": float64(4), "b": "16Gi", "c": 0.5, "d": 8, "e": "1e3"}),
			want: sample{Name: "x", Amounts: map[mode]resource.Quantity{
				"a": resource.MustParse("4"), "b": resource.MustParse("16Gi"), "c": resource.MustParse("0.5"), "d": resource.MustParse("8"), "e": resource.MustParse("1e3"),
			}},
		},
		"Leaves": {
			reason: "Types with a JSON form of their own are read in that form.",
			in: object("port", "http", "at", "2026-01-31T12:00:00Z", "precise", "2026-01-31T12:00:00.000000Z", "after", "1m30s", "blob", "aGk=",
				"raw", map[string]any{"b": float64(1), "a": []any{"x"}}, "any", []any{float64(1)}),
			want: sample{
				Name: "x", Port: intstr.FromString("http"), At: metav1.NewTime(time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)),
				Precise: metav1.NewMicroTime(time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)),
				After:   metav1.Duration{Duration: 90 * time.Second}, Blob: []byte("hi"),
				Raw: &runtime.RawExtension{Raw: []byte(`{"a":["x"],"b":1}`)}, Any: []any{float64(1)},
			},
		},
		"Inline": {
			reason: "The fields of an embedded struct are fields of the object.",
			in: object("hostNetwork", true, "main", map[string]any{
				"name": "main", "readinessProbe": map[string]any{"grpc": map[string]any{"port": float64(1)}},
			}),
			want: sample{
				Name: "x", PodSpec: corev1.PodSpec{HostNetwork: true},
				Main: &corev1.Container{Name: "main", ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{GRPC: &corev1.GRPCAction{Port: 1}}}},
			},
		},
		"NumberPort": {
			reason: "A port may be a number.",
			in:     object("port", float64(8000), "matrix", []any{[]any{"a"}, []any{}}),
			want:   sample{Name: "x", Port: intstr.FromInt32(8000), Matrix: [][]string{{"a"}, {}}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got sample
			errs := Decode(valueOf(t, tc.in), &got, field.NewPath("spec"), Options{Optional: []string{"spec.containers", "containers"}})
			if diff := cmp.Diff("", messages(errs)); diff != "" {
				t.Errorf("\n%s\nDecode(...): -want errors, +got errors:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nDecode(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDecodeErrors(t *testing.T) {
	long := strings.Repeat("z", 100)
	cases := map[string]struct {
		reason string
		in     any
		want   string
	}{
		"NotAnObject": {
			reason: "The root is judged like any other value.",
			in:     "x",
			want:   `spec: Invalid value: must be an object, not a string`,
		},
		"UnknownNear": {
			reason: "The nearest name is suggested for an unknown field.",
			in:     object("main", map[string]any{"name": "main", "imagee": "a"}),
			want:   `spec.main.imagee: Invalid value: "a": unknown field; did you mean "image"?`,
		},
		"UnknownInline": {
			reason: "Names of embedded structs are suggested too.",
			in:     object("nodeSelektor", map[string]any{"a": "b"}),
			want:   `spec.nodeSelektor: Invalid value: unknown field; did you mean "nodeSelector"?`,
		},
		"UnknownCase": {
			reason: "Names are case sensitive, as they are for the API server.",
			in:     object("Mode", "m"),
			want:   `spec.Mode: Invalid value: "m": unknown field; did you mean "mode"?`,
		},
		"UnknownSwapped": {
			reason: "Two letters that changed places are one mistake.",
			in:     object("main", map[string]any{"name": "main", "agrs": true}),
			want:   `spec.main.agrs: Invalid value: unknown field; did you mean "args"?`,
		},
		"UnknownFar": {
			reason: "No suggestion is better than a silly one.",
			in:     object("zebra", long),
			want:   `spec.zebra: Invalid value: "` + strings.Repeat("z", 64) + `...": unknown field; remove it`,
		},
		"UnknownSecret": {
			reason: "A credential in a field that does not exist is not printed.",
			in:     object("hfToken", "hf_secret"),
			want:   `spec.hfToken: Invalid value: unknown field; remove it`,
		},
		"UnknownHint": {
			reason: "A hint of the caller wins over the nearest name.",
			in:     object("inner", map[string]any{"sizes": "a"}),
			want:   `spec.inner.sizes: Invalid value: "a": unknown field; write size`,
		},
		"UnknownHidden": {
			reason: "A field without a JSON name is not in the API.",
			in:     object("Hidden", "x"),
			want:   `spec.Hidden: Invalid value: "x": unknown field; remove it`,
		},
		"UnknownUnprintable": {
			reason: "A name cannot forge lines of output.",
			in:     object("a\nb\x00", true),
			want:   `spec.a?b?: Invalid value: true: unknown field; remove it`,
		},
		"NumberForString": {
			reason: "YAML reads digits as a number.",
			in:     object("labels", map[string]any{"a": float64(1000000)}),
			want:   `spec.labels[a]: Invalid value: must be a string, not a number; put it in quotes`,
		},
		"BooleanForString": {
			reason: "YAML reads true as a boolean.",
			in:     object("mode", true),
			want:   `spec.mode: Invalid value: must be a string, not a boolean; put it in quotes`,
		},
		"ObjectForString": {
			reason: "Objects are not printed.",
			in:     object("main", map[string]any{"name": "main", "args": []any{map[string]any{"--model": "x"}}}),
			want:   `spec.main.args[0]: Invalid value: must be a string, not an object`,
		},
		"StringForBoolean": {
			reason: "Quotes make a string of a boolean.",
			in:     object("on", "true"),
			want:   `spec.on: Invalid value: must be true or false, not a string; remove the quotes`,
		},
		"WordForBoolean": {
			reason: "The word yes is a string in YAML 1.2.",
			in:     object("on", "yes"),
			want:   `spec.on: Invalid value: must be true or false, not a string`,
		},
		"StringForInteger": {
			reason: "Quotes make a string of a whole number.",
			in:     object("count", "3"),
			want:   `spec.count: Invalid value: must be a whole number, not a string; remove the quotes`,
		},
		"Fraction": {
			reason: "Half a replica does not exist.",
			in:     object("count", 1.5),
			want:   `spec.count: Invalid value: 1.5: must be a whole number, without a fraction`,
		},
		"Range32": {
			reason: "The type of a field bounds its value.",
			in:     object("count", float64(3000000000)),
			want:   `spec.count: Invalid value: 3000000000: must be between -2147483648 and 2147483647, inclusive`,
		},
		"Range64": {
			reason: "A number that no integer can hold is refused.",
			in:     object("big", 1e300),
			want:   `spec.big: Invalid value: 1e+300: must be a whole number, without a fraction`,
		},
		"NotFinite": {
			reason: "A protobuf Struct can hold what JSON cannot.",
			in:     object("share", math.NaN(), "inner", map[string]any{"size": math.Inf(1)}, "any", math.NaN()),
			want: `spec.any: Invalid value: must be a finite number
spec.inner.size: Invalid value: must be a finite number
spec.share: Invalid value: must be a finite number`,
		},
		"StringForFloat": {
			reason: "Quotes make a string of a number.",
			in:     object("share", "0.5"),
			want:   `spec.share: Invalid value: must be a number, not a string; remove the quotes`,
		},
		"ObjectForList": {
			reason: "An object in place of a list is the most common mistake with env.",
			in:     object("envs", map[string]any{"HF_TOKEN": "hf_secret"}),
			want:   `spec.envs: Invalid value: must be a list, not an object; begin each entry with a dash`,
		},
		"StringForList": {
			reason: "A shell line is not a list of words.",
			in:     object("main", map[string]any{"name": "main", "command": "python3 -m x"}),
			want:   `spec.main.command: Invalid value: must be a list, not a string`,
		},
		"ListForObject": {
			reason: "A list is not an object.",
			in:     object("labels", []any{"a"}, "inner", []any{}),
			want: `spec.inner: Invalid value: must be an object, not a list
spec.labels: Invalid value: must be an object, not a list`,
		},
		"NullEntry": {
			reason: "The API server refuses a null entry of a list.",
			in:     object("main", map[string]any{"name": "main", "args": []any{"a", nil}}),
			want:   `spec.main.args[1]: Invalid value: must not be null; set a value or remove the entry`,
		},
		"EnvValue": {
			reason: "Values of variables are never printed.",
			in: object("envs", []any{
				map[string]any{"name": "A", "value": float64(8000)},
				map[string]any{"name": "B", "valeu": "hf_secret"},
				"C=hf_secret",
			}),
			want: `spec.envs[0].value: Invalid value: must be a string, not a number; put it in quotes
spec.envs[1].valeu: Invalid value: unknown field; did you mean "value"?
spec.envs[2]: Invalid value: must be an object, not a string`,
		},
		"MisspeltValue": {
			reason: "What may be a misspelled value is never printed.",
			in:     object("vlaue", "Bearer hf_secret"),
			want:   `spec.vlaue: Invalid value: unknown field; remove it`,
		},
		"EnvLine": {
			reason: "A line that stands for all variables is never printed.",
			in:     object("envs", "A=hf_secret"),
			want:   `spec.envs: Invalid value: must be a list, not a string`,
		},
		"Quantity": {
			reason: "A quantity has no blank before its unit.",
			in:     object("inner", map[string]any{"size": "4 Gi"}, "amounts", map[string]any{"a": true, "b": "1e99", "c": strings.Repeat("9", 65)}),
			want: `spec.amounts[a]: Invalid value: must be a quantity such as 4, 500m or 16Gi, not a boolean
spec.amounts[b]: Invalid value: "1e99": must be a quantity: a number with an optional suffix and without spaces, such as 4, 500m or 16Gi
spec.amounts[c]: Invalid value: "` + strings.Repeat("9", 64) + `...": must be a quantity: a number with an optional suffix and without spaces, such as 4, 500m or 16Gi
spec.inner.size: Invalid value: "4 Gi": must be a quantity: a number with an optional suffix and without spaces, such as 4, 500m or 16Gi; did you mean 4Gi?`,
		},
		"IntOrString": {
			reason: "A port that is neither a number nor a string, or out of range, is refused.",
			in: object("port", true, "main", map[string]any{
				"name": "main", "livenessProbe": map[string]any{"httpGet": map[string]any{"port": float64(1 << 40)}},
			}),
			want: `spec.main.livenessProbe.httpGet.port: Invalid value: 1099511627776: must be between -2147483648 and 2147483647, inclusive
spec.port: Invalid value: must be a whole number or a string, not a boolean`,
		},
		"Times": {
			reason: "Times and durations have to be in their forms.",
			in:     object("at", "yesterday", "after", "5 minutes", "precise", "x"),
			want: `spec.after: Invalid value: "5 minutes": must be a duration such as 30s, 5m or 1h30m
spec.at: Invalid value: "yesterday": must be a time such as 2026-01-31T12:00:00Z
spec.precise: Invalid value: "x": does not have the format of this field`,
		},
		"TimeKinds": {
			reason: "Times and durations have to be strings.",
			in:     object("at", float64(1), "after", float64(5)),
			want: `spec.after: Invalid value: must be a duration such as 30s, 5m or 1h30m, not a number
spec.at: Invalid value: must be a time such as 2026-01-31T12:00:00Z, not a number`,
		},
		"Bytes": {
			reason: "Binary content is base64.",
			in:     object("blob", "not base64!"),
			want:   `spec.blob: Invalid value: must be base64-encoded`,
		},
		"BytesKind": {
			reason: "Binary content is a string.",
			in:     object("blob", float64(1)),
			want:   `spec.blob: Invalid value: must be a string, not a number; put it in quotes`,
		},
		"Required": {
			reason: "A field that is not marked as omitted when empty must be given, and null is absent.",
			in: map[string]any{
				"envs": []any{map[string]any{"value": "a"}}, "main": map[string]any{"name": nil, "ports": []any{map[string]any{}}},
			},
			want: `spec.envs[0].name: Required value: must be specified
spec.main.name: Required value: must be specified
spec.main.ports[0].containerPort: Required value: must be specified
spec.name: Required value: must be specified`,
		},
		"Depth": {
			reason: "Nesting is bounded, for content without a type as well.",
			in:     object("any", nested(100)),
			want:   `spec.any` + strings.Repeat("[a]", 64) + `: Invalid value: is nested more than 64 levels deep; flatten it`,
		},
		"RawDepth": {
			reason: "Nesting is bounded for raw content.",
			in:     object("raw", map[string]any{"l": []any{nested(100)}}),
			want:   `spec.raw[l][0]` + strings.Repeat("[a]", 62) + `: Invalid value: is nested more than 64 levels deep; flatten it`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got sample
			errs := Decode(valueOf(t, tc.in), &got, field.NewPath("spec"), Options{
				Optional: []string{"containers"}, Hints: []Hint{{Parent: inner{}, Name: "sizes", Remedy: "write size"}},
			})
			if diff := cmp.Diff(tc.want, messages(errs)); diff != "" {
				t.Errorf("\n%s\nDecode(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDecodeOptions(t *testing.T) {
	in := map[string]any{"crossplane": map[string]any{"x": true}, "main": map[string]any{}, "pods": map[string]any{"a": map[string]any{"crossplane": true}}}
	var got sample
	errs := Decode(valueOf(t, in), &got, nil, Options{Ignored: []string{"crossplane"}, Optional: []string{"containers", "main.name", "name.other"}})
	want := `name: Required value: must be specified
pods[a].crossplane: Invalid value: unknown field; remove it
pods[a].name: Required value: must be specified`
	if diff := cmp.Diff(want, messages(errs)); diff != "" {
		t.Errorf("Decode(...): -want, +got:\n%s", diff)
	}
}

func TestDecodeBounds(t *testing.T) {
	in := object()
	for i := range 3000 {
		in[strings.Repeat("u", i+1)] = true
	}
	errs := Decode(valueOf(t, in), &sample{}, field.NewPath("spec"), Options{Optional: []string{"containers"}})
	if len(errs) != maxErrors+1 {
		t.Fatalf("Decode(...): want %d errors, got %d", maxErrors+1, len(errs))
	}
	if diff := cmp.Diff("spec: Invalid value: 2950 more errors are not shown; fix these first", errs[maxErrors].Error()); diff != "" {
		t.Errorf("Decode(...): -want, +got:\n%s", diff)
	}
}

func TestDecodeTargets(t *testing.T) {
	cases := map[string]struct {
		reason string
		out    any
		want   string
	}{
		"NotAPointer": {reason: "A value that is not a pointer cannot be filled in.", out: sample{}, want: "spec: Internal error: cannot decode into a strict.sample: a pointer is needed"},
		"NilPointer":  {reason: "A nil pointer cannot be filled in.", out: (*sample)(nil), want: "spec: Internal error: cannot decode into a *strict.sample: a pointer is needed"},
		"IntegerKeys": {reason: "JSON has no keys that are integers.", out: &map[int]string{}, want: "spec: Internal error: cannot decode a map with keys of kind int"},
		"Interface":   {reason: "An interface with methods has no form in JSON.", out: new(error), want: "spec: Internal error: cannot decode into a error"},
		"Unsigned":    {reason: "No API type has an unsigned number.", out: &map[string]uint{}, want: "spec[name]: Internal error: cannot decode into a uint"},
		"Map":         {reason: "A map of strings takes the tree.", out: &map[string]string{}, want: ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, messages(Decode(valueOf(t, object()), tc.out, field.NewPath("spec"), Options{}))); diff != "" {
				t.Errorf("\n%s\nDecode(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// valueOf a tree of Go values.
func valueOf(t *testing.T, in any) *structpb.Value {
	t.Helper()
	value, err := structpb.NewValue(in)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func messages(errs field.ErrorList) string {
	lines := make([]string, 0, len(errs))
	for _, e := range errs {
		lines = append(lines, e.Error())
	}
	return strings.Join(lines, "\n")
}
