package flags

import (
	"flag"
	"io"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

// shared flags of commands.
type shared struct {
	Verbose bool   `help:"Say more."      short:"v"`
	Folder  string `env:"FLAGS_FOLDER"    help:"A folder." name:"some-folder"`
	Limit   int    `default:"16"          env:"FLAGS_LIMIT" help:"A limit."`
}

type command struct {
	shared

	Address string `default:":9443" help:"An address."`

	hidden string
}

// TestSet compares with kong, whose tags these are.
func TestSet(t *testing.T) {
	cases := map[string]struct {
		reason      string
		args        []string
		environment map[string]string
		want        command
	}{
		"Defaults": {
			reason: "A flag without an argument has its default.",
			want:   command{shared: shared{Limit: 16}, Address: ":9443"},
		},
		"Arguments": {
			reason: "A value follows a flag after a space or an equals sign, and a switch needs none.",
			args:   []string{"--verbose", "--some-folder", "certs", "--limit=32", "--address="},
			want:   command{shared: shared{Verbose: true, Folder: "certs", Limit: 32}},
		},
		"Short": {
			reason: "A flag may have a second name.",
			args:   []string{"-v"},
			want:   command{shared: shared{Verbose: true, Limit: 16}, Address: ":9443"},
		},
		"SwitchOff": {
			reason: "A switch may have a value.",
			args:   []string{"-v", "--verbose=false"},
			want:   command{shared: shared{Limit: 16}, Address: ":9443"},
		},
		"Environment": {
			reason:      "The environment comes before the default.",
			environment: map[string]string{"FLAGS_FOLDER": "certs", "FLAGS_LIMIT": "64"},
			want:        command{shared: shared{Folder: "certs", Limit: 64}, Address: ":9443"},
		},
		"Both": {
			reason:      "An argument comes before the environment.",
			args:        []string{"--limit", "32", "--some-folder", ""},
			environment: map[string]string{"FLAGS_FOLDER": "certs", "FLAGS_LIMIT": "64"},
			want:        command{shared: shared{Limit: 32}, Address: ":9443"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for variable, value := range tc.environment {
				t.Setenv(variable, value)
			}
			got := command{hidden: ""}
			set, err := Set("test", &got)
			if err != nil {
				t.Fatal(err)
			}
			if err := set.Parse(tc.args); err != nil {
				t.Fatal(err)
			}
			var same command
			parser, err := kong.New(&same)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := parser.Parse(tc.args); err != nil {
				t.Fatal(err)
			}
			for by, got := range map[string]command{"flags": got, "kong": same} {
				if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(command{}, shared{})); diff != "" {
					t.Errorf("%s\n%s: -want, +got:\n%s", tc.reason, by, diff)
				}
			}
		})
	}
}

func TestRefused(t *testing.T) {
	cases := map[string]struct {
		reason      string
		command     any
		args        []string
		environment string
		want        string
	}{
		"Unknown": {
			reason:  "A flag that the command does not have is an error.",
			command: &command{},
			args:    []string{"--port=1"},
			want:    "flag provided but not defined: -port",
		},
		"Number": {
			reason:  "The error has the value.",
			command: &command{},
			args:    []string{"--limit=many"},
			want:    `invalid value "many" for flag -limit: "many" is not a number`,
		},
		"Switch": {
			reason:  "A switch is true or false.",
			command: &command{},
			args:    []string{"--verbose=maybe"},
			want:    `"maybe" is neither true nor false`,
		},
		"Environment": {
			reason:      "The error names the variable.",
			command:     &command{},
			environment: "many",
			want:        `cannot use FLAGS_LIMIT="many" for --limit: "many" is not a number`,
		},
		"Default": {
			reason: "A default that its field cannot have is a mistake in the command.",
			command: &struct {
				Limit int `default:"many"`
			}{},
			want: `cannot use the default of --limit: "many" is not a number`,
		},
		"Kind": {
			reason: "A field of another kind is a mistake in the command.",
			command: &struct {
				Names []string `default:"a"`
			}{},
			want: `cannot use the default of --names: a flag cannot be a []string`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv("FLAGS_LIMIT", tc.environment)
			set, err := Set("test", tc.command)
			if err == nil {
				set.SetOutput(io.Discard)
				err = set.Parse(tc.args)
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s\nwant an error with %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}

// TestHelp has a line for each flag, with its default.
func TestHelp(t *testing.T) {
	set, err := Set("test", &command{})
	if err != nil {
		t.Fatal(err)
	}
	var help strings.Builder
	set.SetOutput(&help)
	set.PrintDefaults()
	flags := 0
	set.VisitAll(func(*flag.Flag) { flags++ })
	if flags != 5 || !strings.Contains(help.String(), "An address. (default :9443)") {
		t.Errorf("want five flags, and the default of --address, got %d in\n%s", flags, help.String())
	}
}
