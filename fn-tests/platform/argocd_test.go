package platform

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	lua "github.com/yuin/gopher-lua"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// health of an object in Argo CD.
type health struct{ Status, Message string }

// script is the health check in the ConfigMap that users apply.
func script(t *testing.T) string {
	t.Helper()
	text := harness.File(t, filepath.Join("package", "gitops", "argocd-cm.yaml"))
	var settings corev1.ConfigMap
	if err := yaml.UnmarshalStrict(text, &settings); err != nil {
		t.Fatal(err)
	}
	return settings.Data[healthKey+"DynamoGraphDeployment"]
}

// healthKey begins the keys of health checks in the ConfigMap of Argo CD. The kind follows.
const healthKey = "resource.customizations.health.nvidia.com_"

// TestArgoCDSettings checks that the ConfigMap is that of Argo CD, and has the check for graphs and for composite resources of claims alone, so that
// server-side apply leaves everything else as it is.
func TestArgoCDSettings(t *testing.T) {
	text := harness.File(t, filepath.Join("package", "gitops", "argocd-cm.yaml"))
	var got corev1.ConfigMap
	if err := yaml.UnmarshalStrict(text, &got); err != nil {
		t.Fatal(err)
	}
	check := script(t)
	if check == "" {
		t.Error("the ConfigMap has no health check for graphs")
	}
	want := corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Name: "argocd-cm", Namespace: "argocd"},
		Data:       map[string]string{healthKey + "DynamoGraphDeployment": check, healthKey + "XDynamoGraphDeployment": check},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
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
