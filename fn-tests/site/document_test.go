package site

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// A document is a page of the site.
type document struct {
	// ids of its elements, each with how often it is there, and headings in their order.
	ids      map[string]int
	headings []string
	// links lead elsewhere when a reader follows them, and parts are loaded with the page.
	links, parts []string
	// strangers are elements that HTML does not have.
	strangers []string
}

// documents of a version, by their paths in its folder.
func documents(t *testing.T, folder string) map[string]*document {
	t.Helper()
	all := map[string]*document{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".html" {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		root, err := html.Parse(bytes.NewReader(harness.File(t, path)))
		if err != nil {
			return err
		}
		d := &document{ids: map[string]int{}}
		for node := range root.Descendants() {
			if node.Type == html.ElementNode {
				d.add(node)
			}
		}
		all[filepath.ToSlash(name)] = d
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (d *document) add(element *html.Node) {
	attributes := map[string]string{}
	for _, a := range element.Attr {
		attributes[a.Key] = a.Val
	}
	id, hasID := attributes["id"]
	if hasID {
		d.ids[id]++
	}
	if src, ok := attributes["src"]; ok {
		d.parts = append(d.parts, src)
	}
	href, hasHref := attributes["href"]
	switch {
	case element.DataAtom == 0:
		d.strangers = append(d.strangers, element.Data)
	case element.DataAtom == atom.Link:
		d.parts = append(d.parts, href)
	case hasHref:
		d.links = append(d.links, href)
	case hasID && isHeading(element):
		d.headings = append(d.headings, id)
	}
}

func isHeading(element *html.Node) bool {
	return len(element.Data) == 2 && strings.ContainsAny(element.Data[1:], "123456") && element.Data[0] == 'h'
}
