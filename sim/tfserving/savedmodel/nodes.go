package savedmodel

import "google.golang.org/protobuf/encoding/protowire"

// Variable is a variable of a graph. TensorFlow 2 makes resource variables, TensorFlow 1 reference
// variables.
type Variable struct {
	Name     string
	Resource bool
}

// These are the field numbers of the nested messages that lead to a node's name and operation.
const (
	graphNode        = 1
	graphLibrary     = 2
	libraryFunction  = 1
	functionNode     = 3
	nodeName         = 1
	nodeOp           = 2
	nodeAttr         = 5
	attrKey          = 1
	attrValue        = 2
	attrString       = 2
	sharedNameAttr   = "shared_name"
	globalStepOfTF1  = "global_step" // globalStepOfTF1 is left out, because no signature reads it
	resourceVariable = "VarHandleOp"
)

// readNodes reads the nodes of a GraphDef and of its library functions.
func (g *Graph) readNodes(f file, graph span) error {
	return f.walk(graph, func(number protowire.Number, field span) error {
		switch number {
		case graphNode:
			op, name, err := g.readNode(f, field)
			if err == nil && outputless(op) {
				if g.Outputless == nil {
					g.Outputless = map[string]string{}
				}
				g.Outputless[name] = op
			}
			return err
		case graphLibrary:
			return g.readLibrary(f, field)
		}
		return nil
	})
}

func (g *Graph) readLibrary(f file, library span) error {
	return f.walk(library, func(number protowire.Number, function span) error {
		if number != libraryFunction {
			return nil
		}
		return f.walk(function, func(number protowire.Number, node span) error {
			if number != functionNode {
				return nil
			}
			_, _, err := g.readNode(f, node)
			return err
		})
	})
}

// readNode reads a node and returns its operation and name. It also records whether the node is a
// variable, and whether its operation checks shapes.
func (g *Graph) readNode(f file, node span) (op, name string, err error) {
	var opBytes, nameBytes, shared []byte
	err = f.walk(node, func(number protowire.Number, field span) error {
		switch number {
		case nodeName:
			nameBytes = f.bytes(field)
		case nodeOp:
			opBytes = f.bytes(field)
		case nodeAttr:
			if value, ok := f.stringAttr(field, sharedNameAttr); ok {
				shared = value
			}
		}
		return nil
	})
	if err != nil {
		return "", "", err
	}
	op, name = string(opBytes), string(nameBytes)
	variable := name
	if len(shared) > 0 {
		variable = string(shared)
	}
	g.noteVariable(op, variable)
	g.ChecksShapes = g.ChecksShapes || checksShapes(op)
	return op, name, nil
}

// outputless reports whether an operation has no outputs.
func outputless(op string) bool {
	switch op {
	case "NoOp", "Assert", "SaveV2", "AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp", "InitializeTable", "InitializeTableV2",
		"InitializeTableFromTextFile", "InitializeTableFromTextFileV2", "LookupTableImportV2", "LookupTableInsertV2":
		return true
	}
	return false
}

// stringAttr returns the string value of an attribute. ok is false if the attribute does not have
// the given name.
func (f file) stringAttr(attr span, name string) (value []byte, ok bool) {
	_ = f.walk(attr, func(number protowire.Number, field span) error {
		switch number {
		case attrKey:
			ok = string(f.bytes(field)) == name
		case attrValue:
			return f.walk(field, func(number protowire.Number, s span) error {
				if number == attrString {
					value = f.bytes(s)
				}
				return nil
			})
		}
		return nil
	})
	return value, ok
}

// noteVariable records the first variable of the graph that a signature may read. It ignores later
// ones.
func (g *Graph) noteVariable(op, name string) {
	if g.Variable.Name != "" || name == globalStepOfTF1 {
		return
	}
	switch op {
	case resourceVariable:
		g.Variable = Variable{Name: name, Resource: true}
	case "Variable", "VariableV2":
		g.Variable = Variable{Name: name}
	}
}

// checksShapes reports whether an operation fails on inputs of wrong shapes. Every neural network
// contains such operations.
func checksShapes(op string) bool {
	switch op {
	case "BatchMatMul", "BatchMatMulV2", "BiasAdd", "ConcatV2", "Conv2D", "Einsum", "EnsureShape", "MatMul", "Reshape":
		return true
	}
	return false
}
