package ops

import (
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// Node is a node of a graph, with the values of all attributes of its operation.
type Node struct {
	Name, Op string
	// Inputs holds the names of the inputs, for error messages.
	Inputs []string
	Attrs  map[string]*framework.AttrValue

	constant []Value // constant is the output of a Const; broken is why it has none
	broken   error
}

// NewNode makes a node. For a Const it also parses the constant tensor.
func NewNode(name, op string, inputs []string, attrs map[string]*framework.AttrValue) *Node {
	n := &Node{Name: name, Op: op, Inputs: inputs, Attrs: attrs}
	if op == "Const" {
		t, err := tensor.Parse(attrs["value"].GetTensor())
		if err != nil {
			n.broken = &Unsupported{"Const: " + err.Error()}
		} else {
			n.constant = []Value{value.FromTensor(t)}
		}
	}
	return n
}

func (n *Node) typeOf(name string) DType                     { return n.Attrs[name].GetType() }
func (n *Node) flag(name string) bool                        { return n.Attrs[name].GetB() }
func (n *Node) number(name string) int                       { return int(n.Attrs[name].GetI()) }
func (n *Node) float(name string) float64                    { return float64(n.Attrs[name].GetF()) }
func (n *Node) text(name string) string                      { return string(n.Attrs[name].GetS()) }
func (n *Node) types(name string) []DType                    { return n.Attrs[name].GetList().GetType() }
func (n *Node) function(name string) *framework.NameAttrList { return n.Attrs[name].GetFunc() }

func (n *Node) numbers(name string) []int {
	return lists.Map(n.Attrs[name].GetList().GetI(), func(i int64) int { return int(i) })
}

// shape returns the dimensions of a shape attribute, with -1 for unknown sizes. It returns false
// for an unknown rank.
func (n *Node) shape(name string) ([]int, bool) { return sizesOf(n.Attrs[name].GetShape()) }

func sizesOf(s *framework.TensorShapeProto) ([]int, bool) {
	if s == nil || s.GetUnknownRank() {
		return nil, false
	}
	return lists.Map(s.GetDim(), func(d *framework.TensorShapeProto_Dim) int { return int(d.GetSize()) }), true
}
