package graph

import (
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
)

// program holds the nodes of a graph or of a function by name.
type program struct {
	model *Model
	nodes map[string]*framework.NodeDef
	// inFunction is true for a function. Its nodes use another notation for their inputs.
	inFunction bool
	// frames holds the loops of TensorFlow 1. faulty is why they cannot be run.
	frames []*frame
	faulty error
}

func (m *Model) newProgram(list []*framework.NodeDef, inFunction bool) *program {
	p := &program{model: m, nodes: make(map[string]*framework.NodeDef, len(list)), inFunction: inFunction}
	for _, def := range list {
		p.nodes[def.GetName()] = def
	}
	p.faulty = p.foldFrames()
	return p
}

// source is an output port of a node. Port -1 stands for the node's completion, as in a control
// input.
type source struct {
	node string
	port int
}

const atEnd = -1

// resolve parses the name of an input: "node", "node:1", "^node" for a control input, or in a
// function "node:indices:0".
func (p *program) resolve(text string) (source, error) {
	if name, ok := strings.CutPrefix(text, "^"); ok {
		return source{name, atEnd}, nil
	}
	parts := strings.Split(text, ":")
	last := 0
	if n := len(parts); n > 1 {
		number, err := strconv.Atoi(parts[n-1])
		if err != nil || number < 0 {
			return source{}, unsupported("input %s", text)
		}
		last = number
	}
	if len(parts) == 3 {
		first, err := p.model.firstPort(p.nodes[parts[0]], parts[1])
		return source{parts[0], first + last}, err
	}
	return source{parts[0], last}, nil
}

// tensorName returns the name of a node's output, in a notation that resolve takes everywhere.
func tensorName(node string, port int) string { return node + ":" + strconv.Itoa(port) }

// Split parses the name of a tensor, as ParseTensorName does: without a port it is port 0.
func Split(tensor string) (node string, port int) {
	if name, digits, ok := strings.Cut(tensor, ":"); ok {
		if n, err := strconv.Atoi(digits); err == nil && n >= 0 {
			return name, n
		}
	}
	return tensor, 0
}

// Outputs returns the operation of a node, and how many outputs it has; false if the graph has no
// such node. It must be called before Forget.
func (m *Model) Outputs(name string) (op string, n int, ok bool) {
	def := m.main.nodes[name]
	if def == nil {
		return "", 0, false
	}
	f, known := m.functions[def.GetOp()], m.opDefs[def.GetOp()]
	if f != nil {
		known = f.GetSignature()
	}
	if known == nil { // the SavedModel does not define the operation
		known = definitionOf(def.GetOp())
		n = max(1-len(known.GetOutputArg()), 0)
	}
	for _, arg := range known.GetOutputArg() {
		n += m.tensors(def, arg)
	}
	return def.GetOp(), n, true
}

// tensors returns how many tensors an output argument of a node has.
func (m *Model) tensors(def *framework.NodeDef, arg *framework.OpDef_ArgDef) int {
	switch {
	case arg.GetNumberAttr() != "":
		return int(m.attr(def, arg.GetNumberAttr()).GetI())
	case arg.GetTypeListAttr() != "":
		return len(m.attr(def, arg.GetTypeListAttr()).GetList().GetType())
	}
	return 1
}

// firstPort returns the port of the first tensor of a node's named output argument. An argument may
// consist of several tensors.
func (m *Model) firstPort(def *framework.NodeDef, argument string) (int, error) {
	op := m.opDef(def.GetOp())
	if len(op.GetOutputArg()) == 0 {
		return 0, nil
	}
	port := 0
	for _, arg := range op.GetOutputArg() {
		if arg.GetName() == argument {
			return port, nil
		}
		port += m.tensors(def, arg)
	}
	return 0, unsupported("output %s of %s", argument, def.GetOp())
}

// opDef returns the definition of an operation or a function. A SavedModel defines the operations
// of its graph, but may lack some that only its functions use.
func (m *Model) opDef(name string) *framework.OpDef {
	if f := m.functions[name]; f != nil {
		return f.GetSignature()
	}
	if known := m.opDefs[name]; known != nil {
		return known
	}
	return definitionOf(name)
}

// attr returns an attribute of a node, or the operation's default for it.
func (m *Model) attr(def *framework.NodeDef, name string) *framework.AttrValue {
	if value, ok := def.GetAttr()[name]; ok {
		return value
	}
	for _, attr := range m.opDef(def.GetOp()).GetAttr() {
		if attr.GetName() == name {
			return attr.GetDefaultValue()
		}
	}
	return nil
}

// node makes an executable node from its definition, and adds the operation's default attributes.
func (m *Model) node(def *framework.NodeDef) *ops.Node {
	attrs := def.GetAttr()
	for _, attr := range m.opDef(def.GetOp()).GetAttr() {
		if _, ok := attrs[attr.GetName()]; ok || attr.GetDefaultValue() == nil {
			continue
		}
		full := make(map[string]*framework.AttrValue, len(attrs)+1)
		for name, value := range attrs { //lint:ordered a copy of a map
			full[name] = value
		}
		full[attr.GetName()] = attr.GetDefaultValue()
		attrs = full
	}
	return ops.NewNode(def.GetName(), def.GetOp(), def.GetInput(), attrs)
}
