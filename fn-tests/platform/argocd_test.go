package platform

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// health of an object in Argo CD.
type health struct{ Status, Message string }

// script is the health check that users install.
func script(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(harness.Root(), "package", "gitops", "argocd-health.lua"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// inArgoCD runs a health check as Argo CD does: with its global obj, and with the libraries that it opens, except for its part of os.
// https://github.com/argoproj/argo-cd/blob/v3.1.0/util/lua/lua.go
func inArgoCD(script string, object *unstructured.Unstructured) (health, error) {
	l := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer l.Close()
	for _, library := range []struct {
		name string
		open lua.LGFunction
	}{{lua.LoadLibName, lua.OpenPackage}, {lua.BaseLibName, lua.OpenBase}, {lua.TabLibName, lua.OpenTable}} {
		if err := l.CallByParam(lua.P{Fn: l.NewFunction(library.open), Protect: true}, lua.LString(library.name)); err != nil {
			return health{}, fmt.Errorf("cannot open library %s: %w", library.name, err)
		}
	}
	l.SetGlobal("obj", luaValue(l, object.Object))
	if err := l.DoString(script); err != nil {
		return health{}, fmt.Errorf("cannot run the health check: %w", err)
	}
	table, ok := l.Get(-1).(*lua.LTable)
	if !ok {
		return health{}, errors.New("the health check returns no table")
	}
	return health{Status: lua.LVAsString(table.RawGetString("status")), Message: lua.LVAsString(table.RawGetString("message"))}, nil
}

// luaValue is a value of an object in Lua.
func luaValue(l *lua.LState, value any) lua.LValue {
	switch v := value.(type) {
	case bool:
		return lua.LBool(v)
	case string:
		return lua.LString(v)
	case int64:
		return lua.LNumber(v)
	case float64:
		return lua.LNumber(v)
	case []any:
		list := l.NewTable()
		for _, item := range v {
			list.Append(luaValue(l, item))
		}
		return list
	case map[string]any:
		table := l.NewTable()
		for key, item := range v {
			table.RawSetString(key, luaValue(l, item))
		}
		return table
	default:
		return lua.LNil
	}
}

// TestArgoCDWithoutLibraries checks that the simulated Argo CD is as restricted as the real one. A check that needs more would fail there alone.
func TestArgoCDWithoutLibraries(t *testing.T) {
	for _, library := range []string{"string", "math", "io", "os", "debug", "coroutine"} {
		got, err := inArgoCD("return {status = type("+library+")}", &unstructured.Unstructured{})
		if err != nil {
			t.Fatal(err)
		}
		if got.Status != "nil" {
			t.Errorf("library %s is open, which it is not in Argo CD", library)
		}
	}
}
