package explain

import (
	"slices"
)

// Sizes in pixels.
const (
	pageWidth    = 880
	margin       = 20
	padding      = 10
	gap          = 12
	lineHeight   = 17
	titleGap     = 4
	titleSize    = 15
	nameSize     = 13
	textSize     = 12
	smallSize    = 11
	pillWidth    = 190
	pillRadius   = 10
	cornerRadius = 6
	arrowRoom    = 36
	laneStep     = 10
	slotStep     = 16

	// flowRoom is between a box and the first lane on its right, and mostFlows are the lanes there: any more share the last one.
	flowRoom  = 16
	mostFlows = 6
)

type point struct{ x, y int }

// area of the page.
type area struct{ x, y, w, h int }

// placedBox is a box with its place.
type placedBox struct {
	area

	box          *box
	title, lines []string
	nodes        nodes
}

// placedPill is a pill with its place.
type placedPill struct {
	area

	pill  *pill
	lines []string
}

// way of an arrow.
type way struct {
	points []point
	dashed bool
}

// layout of a picture: routes, Services and components in columns, and a component a row.
type layout struct {
	picture *picture
	height  int
	title   []string
	boxes   []placedBox
	pills   []placedPill
	arrows  []way

	// left of the boxes and of the Services, and right of the boxes.
	boxesAt, servicesAt, boxesEnd int
	// lanes in which arrows run vertically, which are taken.
	lanes int
	// arrivals are the arrows from lanes that a component has already.
	arrivals map[string]int
}

// layout of the picture. The columns have fixed widths, so text is wrapped to them, and everything else follows from its height.
func (p *picture) layout() *layout {
	l := &layout{picture: p, servicesAt: margin, arrivals: map[string]int{}}
	l.title = wrap(p.title, pageWidth-2*margin, titleSize, true)
	lanes := 0
	for i := range p.pills {
		if p.pills[i].outside {
			l.servicesAt = margin + pillWidth + arrowRoom
		} else if len(p.targets(p.pills[i].id)) > 1 {
			lanes++
		}
	}
	l.boxesAt = l.servicesAt
	if len(p.pills) > 0 {
		l.boxesAt += pillWidth + arrowRoom + lanes*laneStep
	}
	l.boxesEnd = pageWidth - margin
	if n := min(len(p.flows), mostFlows); n > 0 {
		l.boxesEnd -= flowRoom + (n-1)*laneStep
	}
	y := margin + titleSize + (len(l.title)+1)*lineHeight
	for i := range p.boxes {
		y = l.place(&p.boxes[i], l.boxesAt, y, l.boxesEnd-l.boxesAt) + gap
	}
	l.branch()
	l.flow()
	y = l.placeRest(y)
	l.height = y - gap + margin
	return l
}

// targets of a pill.
func (p *picture) targets(id string) []string {
	var to []string
	for _, a := range p.arrows {
		if a.from == id {
			to = append(to, a.to)
		}
	}
	return to
}

// place a box, and return where it ends.
func (l *layout) place(b *box, x, y, w int) int {
	index := len(l.boxes)
	l.boxes = append(l.boxes, placedBox{area: area{x: x, y: y, w: w}, box: b})
	if b.component != nil {
		l.boxes[index].h = l.placeComponent(index)
		return y + l.boxes[index].h
	}
	l.boxes[index].title = wrap(b.title, w-2*padding, textSize, false)
	end := y + padding + len(l.boxes[index].title)*lineHeight + titleGap
	for i := range b.boxes {
		end = l.place(&b.boxes[i], x+padding, end, w-2*padding) + gap
	}
	l.boxes[index].h = end - gap + padding - y
	return y + l.boxes[index].h
}

// placeComponent with the pills that lead to it, and return its height.
func (l *layout) placeComponent(index int) int {
	b := &l.boxes[index]
	room := b.w - 2*padding
	b.title = wrap(b.box.title, room, nameSize, true)
	for _, line := range b.box.lines {
		b.lines = append(b.lines, wrap(line, room, textSize, false)...)
	}
	b.nodes = nodesOf(b.box.component, room)
	text := 2*padding + (len(b.title)+len(b.lines))*lineHeight + b.nodes.height()

	var first []int
	for i := range l.picture.pills {
		pill := &l.picture.pills[i]
		if to := l.picture.targets(pill.id); !pill.outside && len(to) > 0 && to[0] == b.box.id {
			first = append(first, i)
		}
	}
	y := b.y
	for _, i := range first {
		y = l.placeService(i, y) + gap
	}
	return max(text, y-gap-b.y+l.arriving(b.box.id)*slotStep)
}

// arriving is how many arrows come to a component from pills that are beside another one.
func (l *layout) arriving(id string) int {
	n := 0
	for i := range l.picture.pills {
		if to := l.picture.targets(l.picture.pills[i].id); slices.Contains(to[min(1, len(to)):], id) {
			n++
		}
	}
	return n
}

// placeService places a pill and the routes that lead to it, and returns where they end.
func (l *layout) placeService(i, y int) int {
	service := l.pill(&l.picture.pills[i], l.servicesAt, y)
	end := y
	var routes []placedPill
	for j := range l.picture.pills {
		route := &l.picture.pills[j]
		if to := l.picture.targets(route.id); route.outside && slices.Contains(to, l.picture.pills[i].id) {
			placed := l.pill(route, margin, end)
			end += placed.h + gap
			routes = append(routes, placed)
		}
	}
	// The Service is as high as all routes, so that each leads straight to it.
	service.h = max(service.h, end-gap-y)
	for _, route := range routes {
		middle := route.y + route.h/2
		l.arrow(point{route.x + route.w, middle}, point{service.x, middle})
	}
	l.pills = append(append(l.pills, service), routes...)
	return y + service.h
}

// pill at a place.
func (l *layout) pill(p *pill, x, y int) placedPill {
	placed := placedPill{area: area{x: x, y: y, w: pillWidth}, pill: p}
	for _, line := range p.lines {
		placed.lines = append(placed.lines, wrap(line, pillWidth-2*padding, smallSize, false)...)
	}
	placed.h = 2*padding + (len(placed.lines)+1)*lineHeight - (lineHeight - smallSize)
	return placed
}

// branch draws the arrows from Services to components. To the first one an arrow is straight. To the others it runs along a lane of its own,
// and arrives below the Services of the component.
func (l *layout) branch() {
	for i := range l.pills {
		p := &l.pills[i]
		if p.pill.outside {
			continue
		}
		to := l.picture.targets(p.pill.id)
		lane := l.boxesAt - arrowRoom/2 - l.lanes*laneStep
		if len(to) > 1 {
			l.lanes++
		}
		for j, id := range to {
			b := l.boxOf(id)
			middle := p.y + p.h/2
			if j == 0 {
				l.arrow(point{p.x + p.w, middle}, point{b.x, middle})
				continue
			}
			arrival := b.y + b.h - slotStep/2 - l.arrivals[id]*slotStep
			l.arrivals[id]++
			l.arrow(point{p.x + p.w, middle}, point{lane, middle}, point{lane, arrival}, point{b.x, arrival})
		}
	}
}

// arrow along points.
func (l *layout) arrow(points ...point) { l.arrows = append(l.arrows, way{points: points}) }

// flow draws the arrows between components, on the right of the boxes, each flow along a lane of its own.
func (l *layout) flow() {
	for i, f := range l.picture.flows {
		lane := l.boxesEnd + flowRoom + min(i, mostFlows-1)*laneStep
		for _, from := range f.from {
			for _, to := range f.to {
				left, arrived := l.boxOf(from), l.boxOf(to)
				out, in := left.y+left.h/2, arrived.y+arrived.h/2
				// A component that both sends and gets something does so at different places, and the KV cache runs between the arrows of requests.
				switch {
				case f.what == flowCache:
					out, in = left.y+left.h*2/3, arrived.y+arrived.h/3
				case l.picture.sends(to, flowCache):
					in = arrived.y + arrived.h/3
				case l.picture.gets(to, flowCache):
					in = arrived.y + arrived.h*2/3
				}
				l.arrows = append(l.arrows, way{
					points: []point{{left.x + left.w, out}, {lane, out}, {lane, in}, {arrived.x + arrived.w, in}}, dashed: f.what == flowCache,
				})
			}
		}
	}
}

// sends reports whether a component sends something to others, and gets whether it gets it.
func (p *picture) sends(id, what string) bool {
	return slices.ContainsFunc(p.flows, func(f flow) bool { return f.what == what && slices.Contains(f.from, id) })
}

func (p *picture) gets(id, what string) bool {
	return slices.ContainsFunc(p.flows, func(f flow) bool { return f.what == what && slices.Contains(f.to, id) })
}

// boxOf a component.
func (l *layout) boxOf(id string) *placedBox {
	return &l.boxes[slices.IndexFunc(l.boxes, func(b placedBox) bool { return b.box.id == id })]
}

// placeRest places the pills that lead nowhere, and returns where they end.
func (l *layout) placeRest(y int) int {
	for i := range l.picture.pills {
		pill := &l.picture.pills[i]
		if slices.ContainsFunc(l.pills, func(p placedPill) bool { return p.pill == pill }) {
			continue
		}
		placed := l.pill(pill, l.servicesAt, y)
		if pill.outside {
			placed.x = margin
		}
		l.pills = append(l.pills, placed)
		y += placed.h + gap
	}
	return y
}
