package explain

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
)

// Colors of the pictures. They are the same on light and on dark pages, because the picture has a background of its own.
const (
	fillPage      = "#ffffff"
	fillComponent = "#ffffff"
	fillService   = "#e8eefc"
	fillRoute     = "#e4f5ea"
	fillGang      = "#f4f6fb"
	fillPlace     = "#fdf6e7"
	fillGPU       = "#5a9e2f"
	fillNode      = "#eef3ea"

	strokeComponent = "#2f3b4c"
	strokeGang      = "#5b73b8"
	strokePlace     = "#b07d1e"
	strokeArrow     = "#55617a"
	strokeNode      = "#9db38d"
	strokeReplica   = "#c3cad6"

	colorText  = "#1d2633"
	colorQuiet = "#55617a"
)

func strokeOf(l look) string {
	return map[look]string{lookComponent: strokeComponent, lookGang: strokeGang, lookPlace: strokePlace}[l]
}

func fillOf(l look) string {
	return map[look]string{lookComponent: fillComponent, lookGang: fillGang, lookPlace: fillPlace}[l]
}

// canvas is an SVG that grows.
type canvas struct{ out strings.Builder }

// rect with round corners.
func (c *canvas) rect(r area, radius int, fill, stroke string, dashed bool) {
	dash := ""
	if dashed {
		dash = ` stroke-dasharray="6 4"`
	}
	fmt.Fprintf(&c.out, "  <rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"%d\" fill=%q stroke=%q%s/>\n", r.x, r.y, r.w, r.h, radius, fill, stroke, dash)
}

// writeText writes lines, the first of which has this baseline.
func (c *canvas) writeText(x, y, size int, bold bool, color string, lines ...string) {
	weight := ""
	if bold {
		weight = ` font-weight="bold"`
	}
	for _, line := range lines {
		fmt.Fprintf(&c.out, "  <text x=\"%d\" y=\"%d\" font-size=\"%d\"%s fill=%q>%s</text>\n", x, y, size, weight, color, escaped(line))
		y += lineHeight
	}
}

// arrow along points.
func (c *canvas) arrow(w way) {
	path := make([]string, 0, len(w.points))
	for _, p := range w.points {
		path = append(path, fmt.Sprintf("%d,%d", p.x, p.y))
	}
	dash := ""
	if w.dashed {
		dash = ` stroke-dasharray="5 3"`
	}
	fmt.Fprintf(&c.out, "  <polyline points=%q fill=\"none\" stroke=%q stroke-width=\"1.4\"%s marker-end=\"url(#arrow)\"/>\n",
		strings.Join(path, " "), strokeArrow, dash)
}

// escaped text of an element.
func escaped(text string) string {
	var out strings.Builder
	// Writing to a string never fails.
	_ = xml.EscapeText(&out, []byte(text))
	return out.String()
}

// svg of the picture. It has the width of a page, and no script, style sheet or font of its own, so that forges show it.
func (p *picture) svg() string {
	l := p.layout()
	hasCaches := slices.ContainsFunc(l.arrows, func(w way) bool { return w.dashed })
	legend := l.height - margin/2
	if hasCaches {
		l.height += lineHeight
	}
	var c canvas
	fmt.Fprintf(&c.out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" "+
		"font-family=\"'DejaVu Sans', 'Segoe UI', Helvetica, Arial, sans-serif\">\n", pageWidth, l.height, pageWidth, l.height)
	fmt.Fprintf(&c.out, "  <title>%s</title>\n", escaped(p.title+": "+p.subtitle))
	fmt.Fprintf(&c.out, "  <defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">"+
		"<path d=\"M0,0 L8,4 L0,8 z\" fill=%q/></marker></defs>\n", strokeArrow)
	c.rect(area{0, 0, pageWidth, l.height}, 0, fillPage, "none", false)
	c.writeText(margin, margin+titleSize, titleSize, true, colorText, l.title...)
	c.writeText(margin, margin+titleSize+len(l.title)*lineHeight, textSize, false, colorQuiet, p.subtitle)
	for i := range l.boxes {
		l.boxes[i].paint(&c)
	}
	for i := range l.pills {
		l.pills[i].paint(&c)
	}
	for _, w := range l.arrows {
		c.arrow(w)
	}
	if hasCaches {
		c.arrow(way{points: []point{{margin, legend}, {margin + 40, legend}}, dashed: true})
		c.writeText(margin+48, legend+textSize/3, textSize, false, colorQuiet, flowCache+"s")
	}
	c.out.WriteString("</svg>\n")
	return c.out.String()
}

// paint a box. Boxes that surround others come first.
func (b *placedBox) paint(c *canvas) {
	c.rect(b.area, cornerRadius, fillOf(b.box.look), strokeOf(b.box.look), b.box.look != lookComponent)
	if b.box.component == nil {
		c.writeText(b.x+padding, b.y+padding+textSize, textSize, false, strokeOf(b.box.look), b.title...)
		return
	}
	y := b.y + padding + nameSize
	c.writeText(b.x+padding, y, nameSize, true, colorText, b.title...)
	y += len(b.title) * lineHeight
	c.writeText(b.x+padding, y, textSize, false, colorText, b.lines...)
	b.nodes.paint(c, b.x+padding, y+len(b.lines)*lineHeight-textSize+nodesGap)
}

func (p *placedPill) paint(c *canvas) {
	fill := fillService
	if p.pill.outside {
		fill = fillRoute
	}
	c.rect(p.area, pillRadius, fill, strokeArrow, false)
	c.writeText(p.x+padding, p.y+padding+smallSize-2, smallSize, false, colorQuiet, p.pill.kind)
	c.writeText(p.x+padding, p.y+padding+smallSize-2+lineHeight, smallSize, false, colorText, p.lines...)
}
