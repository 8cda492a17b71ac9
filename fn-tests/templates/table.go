package templates

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// header of a table.
const header = "# manifest\tdigest of the manifest\tcluster\tcomposition resource\trole\thash of what its pods depend on\n"

// Table of rows.
type Table []Row

// graph is a manifest with its content: with another content it is another graph.
type graph struct{ manifest, digest string }

// place of a row within its graph.
type place struct{ cluster, key, role string }

// String is the table as it is written: sorted, one row a line.
func (t Table) String() string {
	rows := slices.SortedFunc(slices.Values(t), func(a, b Row) int {
		return cmp.Or(strings.Compare(a.Manifest, b.Manifest), strings.Compare(a.Cluster, b.Cluster), strings.Compare(a.Key, b.Key), strings.Compare(a.Role, b.Role))
	})
	var lines strings.Builder
	lines.WriteString(header)
	for _, r := range rows {
		fmt.Fprintln(&lines, strings.Join([]string{r.Manifest, r.Digest, r.Cluster, r.Key, r.Role, r.Hash}, "\t"))
	}
	return lines.String()
}

// ParseTable that was written.
func ParseTable(text string) (Table, error) {
	var table Table
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 6 {
			return nil, errors.New("want six columns in line: " + line)
		}
		table = append(table, Row{fields[0], fields[1], fields[2], fields[3], fields[4], fields[5]})
	}
	return table, nil
}

// graphs of the table.
func (t Table) graphs() map[graph]map[place]string {
	graphs := map[graph]map[place]string{}
	for _, r := range t {
		g := graph{r.Manifest, r.Digest}
		if graphs[g] == nil {
			graphs[g] = map[place]string{}
		}
		graphs[g][place{r.Cluster, r.Key, r.Role}] = r.Hash
	}
	return graphs
}

// A Change of a workload role of a graph that nobody has changed.
type Change struct {
	Manifest, Cluster, Key, Role string
	// What becomes of it: changed, gone, or new.
	What string
}

func (c Change) String() string {
	return fmt.Sprintf("%s on %s: %s %s is %s", c.Manifest, c.Cluster, c.Key, c.Role, c.What)
}

// Changes from an older table to a newer, of the graphs that are in both.
func Changes(older, newer Table) []Change {
	var changes []Change
	now := newer.graphs()
	for g, was := range older.graphs() {
		is, ok := now[g]
		if !ok {
			continue
		}
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
			changes = append(changes, Change{g.manifest, p.cluster, p.key, p.role, what})
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.String(), b.String()) })
	return changes
}
