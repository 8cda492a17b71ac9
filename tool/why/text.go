package why

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// Write the diagnosis. Only text has colors.
func (d *Diagnosis) Write(out io.Writer, format string) error {
	return output.Report(out, format, "the diagnosis", d, d.text)
}

// text ends with the most likely cause.
func (d *Diagnosis) text(w *output.Writer) {
	color := output.Red
	if d.Ready {
		color = output.Green
	}
	w.Printf("%s %s\n\n%s", d.Graph, color.Paint(d.state()), d.found())
	if len(d.Causes) > 0 {
		c := &d.Causes[0]
		w.Printf("\n%s %s [%s]\n%s  %s\n", output.Red.Paint("Cause:"), c.Message, c.Code, output.Green.Paint("Next:"), c.Next)
	}
}

// state of the graph, as the predicate of a sentence.
func (d *Diagnosis) state() string {
	switch {
	case d.Ready:
		return "is ready"
	case d.isHeld() && d.condition("Ready").Status == "True":
		return "is ready, but its latest change is not applied"
	default:
		return "is not ready"
	}
}

// found in the cluster: conditions, objects, who decides how many replicas there are, what may not be read, and a log.
func (d *Diagnosis) found() string {
	out := &bytes.Buffer{}
	d.conditionsText(out)
	d.objectsText(out)
	if len(d.Scaling) > 0 {
		out.WriteString("\nReplicas:\n")
	}
	for i := range d.Scaling {
		fmt.Fprintf(out, "  %s: %s\n", d.Scaling[i].Component, d.Scaling[i].String())
	}
	if len(d.Forbidden) > 0 {
		out.WriteString("\nYou may not do the following, so it was not taken into account:\n")
		for i := range d.Forbidden {
			fmt.Fprintf(out, "  %s\n", d.Forbidden[i].Error())
		}
	}
	d.Log.writeTo(out)
	return out.String()
}

func (d *Diagnosis) conditionsText(out *bytes.Buffer) {
	for _, c := range d.Conditions {
		line := fmt.Sprintf("  %-24s %-8s %s", c.Type, c.Status, c.Reason)
		if c.Message != "" && c.Status != "True" {
			line += ": " + withoutLongValues(c.Message)
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	if len(d.Conditions) == 0 {
		out.WriteString("  no conditions\n")
	}
}

func (d *Diagnosis) objectsText(out *bytes.Buffer) {
	if len(d.Objects) > 0 {
		out.WriteString("\n")
	}
	for _, o := range d.Objects {
		// Claims, autoscalers and gangs are only of interest if they have something to say.
		if _, _, runs := o.wants(); runs || o.Kind == grovev1alpha1.KindPodCliqueSet || o.Message != "" || !o.isFine() {
			o.writeTo(out, 1)
		}
	}
}

// writeTo writes a log. There is none unless it is asked for.
func (l *Log) writeTo(out *bytes.Buffer) {
	if l == nil {
		return
	}
	which := "Log"
	if l.Previous {
		which = "Log of the previous run"
	}
	fmt.Fprintf(out, "\n%s of container %s in pod %s:\n", which, l.Container, l.Pod)
	for _, line := range l.Lines {
		fmt.Fprintf(out, "  | %s\n", line)
	}
}

// writeTo writes an object in a line, and of those below it unless nothing is wrong with them.
func (o *Object) writeTo(out *bytes.Buffer, depth int) {
	line := strings.Repeat("  ", depth) + o.Kind + " " + o.Name
	if o.Component != "" && depth == 1 {
		line += " (" + o.Component + ")"
	}
	switch {
	case o.Message != "":
		line += ": " + o.Message
	case o.Ready:
		line += ": ready"
	default:
		line += ": not ready"
	}
	out.WriteString(line + "\n")
	fine, alike, more := 0, map[Code]int{}, map[Code]int{}
	for _, child := range o.Children {
		switch {
		case child.isFine() && child.Message == "":
			if child.pod != nil {
				fine++
			}
		case child.pod != nil && child.Code != "" && len(child.Children) == 0 && alike[child.Code] == mostAlike:
			more[child.Code]++
		default:
			alike[child.Code]++
			child.writeTo(out, depth+1)
		}
	}
	indent := strings.Repeat("  ", depth+1)
	for _, code := range Codes() {
		if n := more[code]; n > 0 {
			fmt.Fprintf(out, "%s%s: %s\n", indent, output.Count(n, "other pod"), code)
		}
	}
	if fine > 0 && !o.isFine() {
		fmt.Fprintf(out, "%s%s: ready\n", indent, output.Count(fine, "other pod"))
	}
}

// mostAlike pods of an object with the same problem that are shown one by one.
const mostAlike = 3
