package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
)

// releasesTemplate is that of the page about releases.
//
//go:embed releases.md.tmpl
var releasesTemplate string

// releasesPage is the page about releases of Dynamo, with the table of rules. It panics if the template does not fit the tables.
func releasesPage() string {
	page := template.Must(template.New("releases").Funcs(template.FuncMap{"capital": capital, "releases": releases, "source": source}).Parse(releasesTemplate))
	var out strings.Builder
	if err := page.Execute(&out, map[string]any{
		"Assumed": runtime.Assumed, "Changes": runtime.Changes(), "Needs": runtime.Needs(), "RemovedFlags": runtime.RemovedFlags(),
		"OldVariables": runtime.OldVariables(), "Recommended": compatibility.Recommended, "Products": stated(), "Rows": rows(),
	}); err != nil {
		panic(err)
	}
	return out.String()
}

// rows of the table of releases with the earliest versions of other products. Releases for which none is stated have no row.
func rows() []compatibility.Release {
	every := compatibility.Any()
	every.Dynamo = "any"
	all := append([]compatibility.Release{every}, compatibility.Releases()...)
	return slices.DeleteFunc(all, func(r compatibility.Release) bool { return len(r.Earliest) == 0 })
}

// stated are the products of which a release needs later versions than all releases do.
func stated() []compatibility.Product {
	return slices.DeleteFunc(compatibility.Products(), func(product compatibility.Product) bool {
		return !slices.ContainsFunc(compatibility.Releases(), func(r compatibility.Release) bool { return r.Earliest[product] != "" })
	})
}

// source of a change, the address of a pull request or of a file.
func source(c runtime.Change) string {
	const repository = "https://github.com/ai-dynamo/dynamo/"
	if c.Source == 0 {
		return repository + "blob/main/" + c.File
	}
	return fmt.Sprintf("%spull/%d", repository, c.Source)
}

// releases that have a rule.
func releases(c runtime.Change) string {
	if c.From == "" {
		return "before " + c.Until.String()
	}
	return c.From.String()
}

// capital is a text that begins a sentence.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
