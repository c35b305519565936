package graph

import (
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
)

// program has the nodes of a graph or of a function by name.
type program struct {
	model *Model
	nodes map[string]*framework.NodeDef
	// inFunction is set for a function, whose nodes name their inputs in another way.
	inFunction bool
}

func (m *Model) newProgram(list []*framework.NodeDef, inFunction bool) *program {
	p := &program{model: m, nodes: make(map[string]*framework.NodeDef, len(list)), inFunction: inFunction}
	for _, def := range list {
		p.nodes[def.GetName()] = def
	}
	return p
}

// source is an output of a node, or with port -1 its end.
type source struct {
	node string
	port int
}

const atEnd = -1

// resolve converts the text of an input: "node", "node:1", "^node", and in a function
// "node:indices:0".
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

// firstPort returns the number of the first output of a node's output argument.
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
		switch {
		case arg.GetNumberAttr() != "":
			port += int(m.attr(def, arg.GetNumberAttr()).GetI())
		case arg.GetTypeListAttr() != "":
			port += len(m.attr(def, arg.GetTypeListAttr()).GetList().GetType())
		default:
			port++
		}
	}
	return 0, unsupported("output %s of %s", argument, def.GetOp())
}

// opDef returns the definition of an operation or a function. A SavedModel has those of the operations
// in its graph, but not of all in its functions.
func (m *Model) opDef(name string) *framework.OpDef {
	if f := m.functions[name]; f != nil {
		return f.GetSignature()
	}
	if known := m.opDefs[name]; known != nil {
		return known
	}
	return ops.Definition(name)
}

// attr returns an attribute of a node, or the default of its operation.
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

// node makes the node of a definition, with the defaults of its operation.
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
