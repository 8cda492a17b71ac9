package explain

import "fmt"

// nodes of the replicas of a component, each with its GPUs, as far as there is room.
type nodes struct {
	replicas, perRow int32
	nodes            int32
	gpus             int64
	// more says what there is no room for, in lines. Empty if there is room for all.
	more []string
}

// Sizes of what is drawn.
const (
	gpuSize     = 5
	gpuStep     = gpuSize + 1
	nodeInset   = 3
	nodeGap     = 3
	replicaGap  = 8
	replicaPad  = 3
	nodesGap    = 6
	mostRows    = 4
	mostGPUs    = 16
	gpusInNode  = 2
	nodeHeight  = 2*nodeInset + gpusInNode*gpuStep - 1
	replicaStep = nodeHeight + 2*replicaPad + 4
)

// nodesOf a component within a width.
func nodesOf(c *Component, room int) nodes {
	if c.GPUs == 0 || c.Replicas == 0 || c.GPUs > mostGPUs {
		return nodes{}
	}
	n := nodes{replicas: c.Replicas, nodes: c.Nodes, gpus: c.GPUs}
	if fits := int32((room - 2*replicaPad + nodeGap) / (n.nodeWidth() + nodeGap)); n.nodes > fits { //nolint:gosec // A number of pixels.
		n.nodes = fits
		n.more = append(n.more, wrap(fmt.Sprintf("%d more nodes in each replica", c.Nodes-fits), room, smallSize, false)...)
	}
	n.perRow = int32(max(1, (room+replicaGap)/(n.replicaWidth()+replicaGap))) //nolint:gosec // A number of pixels.
	if fits := n.perRow * mostRows; n.replicas > fits {
		n.replicas = fits
		n.more = append(n.more, wrap(fmt.Sprintf("%d more replicas", c.Replicas-fits), room, smallSize, false)...)
	}
	return n
}

func (n *nodes) nodeWidth() int { return 2*nodeInset + (int(n.gpus)+1)/gpusInNode*gpuStep - 1 }

func (n *nodes) replicaWidth() int {
	return 2*replicaPad + int(n.nodes)*(n.nodeWidth()+nodeGap) - nodeGap
}

// height of all rows.
func (n *nodes) height() int {
	if n.replicas == 0 {
		return 0
	}
	return nodesGap + int((n.replicas+n.perRow-1)/n.perRow)*replicaStep + len(n.more)*lineHeight
}

// paint the nodes below a point.
func (n *nodes) paint(c *canvas, x, y int) {
	for i := range n.replicas {
		left, top := x+int(i%n.perRow)*(n.replicaWidth()+replicaGap), y+int(i/n.perRow)*replicaStep
		c.rect(area{left, top, n.replicaWidth(), nodeHeight + 2*replicaPad}, 3, "none", strokeReplica, false)
		for j := range n.nodes {
			n.paintNode(c, left+replicaPad+int(j)*(n.nodeWidth()+nodeGap), top+replicaPad)
		}
	}
	c.writeText(x, y+n.height()-nodesGap-len(n.more)*lineHeight+smallSize, smallSize, false, colorQuiet, n.more...)
}

func (n *nodes) paintNode(c *canvas, x, y int) {
	c.rect(area{x, y, n.nodeWidth(), nodeHeight}, 2, fillNode, strokeNode, false)
	if n.gpus == 1 {
		y += gpuStep / gpusInNode
	}
	for k := range int(n.gpus) {
		gpu := area{x + nodeInset + k/gpusInNode*gpuStep, y + nodeInset + k%gpusInNode*gpuStep, gpuSize, gpuSize}
		c.rect(gpu, 1, fillGPU, "none", false)
	}
}
