package explain

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/previews"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/check"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// TestCorpus explains and draws every manifest on its platform.
func TestCorpus(t *testing.T) {
	previewers := map[string]*preview.Previewer{}
	for _, m := range corpus.Manifests(t) {
		if previewers[m.Platform.Name] == nil {
			previewers[m.Platform.Name] = previews.On(t, m.Platform)
		}
		t.Run(m.Name, func(t *testing.T) {
			e := explained(t, previewers[m.Platform.Name], m.Path)
			if e.Refused {
				if len(e.Findings) == 0 || len(e.Objects) > 0 || !strings.Contains(e.Text(), "refused") {
					t.Errorf("a refused graph becomes nothing, and the findings say why: %s", e.Text())
				}
				return
			}
			checkExplanation(t, e)
			p := draw(e)
			checkPicture(t, p.svg())
		})
	}
}

// explained graph in a file.
func explained(t *testing.T, p *preview.Previewer, path string) *Explanation {
	t.Helper()
	files, err := manifest.Reader{}.Read([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	result, err := p.Preview(t.Context(), files.Graphs()[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Of(result, check.OfFunctions(result))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// checkExplanation checks what holds of every explanation.
func checkExplanation(t *testing.T, e *Explanation) {
	t.Helper()
	var pods int32
	var gpus int64
	for i := range e.Components {
		c := &e.Components[i]
		pods += c.TotalPods
		gpus += c.TotalGPUs
		if c.Replicas > 0 && (len(c.Workload.Names) == 0 || c.TotalPods < c.Replicas*c.Nodes || c.Image == "") {
			t.Errorf("component %s: want a workload with at least a pod for each node: %+v", c.Name, c)
		}
		if c.Place != nil && (c.Place.Required+c.Place.Preferred == "" || c.Place.Field == "" || c.Place.Topology == "") {
			t.Errorf("component %s: want a complete place, got %+v", c.Name, c.Place)
		}
	}
	if pods != e.Pods || gpus != e.GPUs {
		t.Errorf("components have %d pods and %d GPUs, the graph %d and %d", pods, gpus, e.Pods, e.GPUs)
	}
	for _, g := range e.Gangs {
		if len(g.Members) == 0 || g.Pods < 1 || g.Count < 1 {
			t.Errorf("want a gang with pods, got %+v", g)
		}
	}
	for _, o := range e.Objects {
		if o.From == "another step of the Composition" || o.Key == "" {
			t.Errorf("no origin of %s %s is known", o.Kind, o.Name)
		}
	}
	for _, entry := range e.Entries {
		if len(entry.Components) == 0 && e.Pods > 0 {
			t.Errorf("%s %s selects no pods", entry.Kind, entry.Name)
		}
	}
	for _, r := range e.Routes {
		if len(r.Services) != 1 {
			t.Errorf("%s %s leads to %v", r.Kind, r.Name, r.Services)
		}
	}
}

// drawn is an SVG as far as its texts and arrows are checked.
type drawn struct {
	Height int `xml:"height,attr"`
	Texts  []struct {
		X    int    `xml:"x,attr"`
		Y    int    `xml:"y,attr"`
		Size int    `xml:"font-size,attr"`
		Bold string `xml:"font-weight,attr"`
		Text string `xml:",chardata"`
	} `xml:"text"`
	Rects []struct {
		X int `xml:"x,attr"`
		Y int `xml:"y,attr"`
		W int `xml:"width,attr"`
		H int `xml:"height,attr"`
	} `xml:"rect"`
	Lines []struct {
		Points string `xml:"points,attr"`
	} `xml:"polyline"`
}

// checkPicture checks that all is on the page, and that no text overlaps another one or an arrow.
func checkPicture(t *testing.T, svg string) {
	t.Helper()
	d := drawn{}
	if err := xml.Unmarshal([]byte(svg), &d); err != nil {
		t.Fatalf("want XML: %v\n%s", err, svg)
	}
	for _, r := range d.Rects {
		if r.X < 0 || r.Y < 0 || r.X+r.W > pageWidth || r.Y+r.H > d.Height || r.W <= 0 || r.H <= 0 {
			t.Errorf("a box is not on the page: %+v", r)
		}
	}
	var texts []area
	for _, text := range d.Texts {
		const descent = 3
		a := area{text.X, text.Y - text.Size + 1, width(text.Text, text.Size, text.Bold != ""), text.Size + descent - 1}
		if a.x < margin || a.y < margin || a.x+a.w > pageWidth-margin || a.y+a.h > d.Height-margin/2 {
			t.Errorf("text %q is not on the page: %+v", text.Text, a)
		}
		for _, other := range texts {
			if a.meets(other) {
				t.Errorf("text %q at %+v overlaps with that at %+v", text.Text, a, other)
			}
		}
		texts = append(texts, a)
	}
	for _, line := range d.Lines {
		for _, segment := range segmentsOf(t, line.Points) {
			if segment.x < margin || segment.y < margin || segment.x+segment.w > pageWidth-margin/2 || segment.y+segment.h > d.Height-margin/2 {
				t.Errorf("an arrow is not on the page: %+v", segment)
			}
			for i, text := range texts {
				if segment.meets(text) {
					t.Errorf("an arrow at %+v crosses text %q", segment, d.Texts[i].Text)
				}
			}
		}
	}
}

func (a area) meets(b area) bool {
	return a.x < b.x+b.w && b.x < a.x+a.w && a.y < b.y+b.h && b.y < a.y+a.h
}
