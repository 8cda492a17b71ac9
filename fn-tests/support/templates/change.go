package templates

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Change of pods of a graph that nobody has changed.
type Change struct {
	Manifest, Platform, Key, Role string
	// What becomes of it: changed, gone, or new.
	What string
}

func (c Change) String() string {
	return fmt.Sprintf("%s on %s: %s %s is %s", c.Manifest, c.Platform, c.Key, c.Role, c.What)
}

// place of pods within an outline.
type place struct{ key, role string }

// places of an outline that have pods, or that cannot change, with their hashes.
func (o *Outline) places() map[place]string {
	places := map[place]string{}
	for _, r := range o.WithPods().Rows {
		places[place{r.Key, r.Role}] = r.Hash
	}
	return places
}

// Changes from older outlines to newer, of the graphs that are in both. With another content a manifest is another graph.
func Changes(older, newer []Outline) []Change {
	now := map[string]Outline{}
	for _, o := range newer {
		now[o.title()] = o
	}
	var changes []Change
	for _, o := range older {
		n, ok := now[o.title()]
		if !ok {
			continue
		}
		was, is := o.places(), n.places()
		places := maps.Clone(was)
		maps.Copy(places, is)
		for p := range places {
			what := "changed"
			switch {
			case was[p] == is[p]:
				continue
			case is[p] == "":
				what = "gone"
			case was[p] == "":
				what = "new"
			}
			changes = append(changes, Change{o.Manifest, o.Platform, p.key, p.role, what})
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.String(), b.String()) })
	return changes
}
