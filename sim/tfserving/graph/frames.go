package graph

import (
	"maps"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// frame is a loop as TensorFlow 1 writes it, in the plain nodes of a graph
// (core/common_runtime/executor.cc). Each variable enters at an Enter node. A Merge takes it from
// there, and later from a NextIteration. A Switch sends it to the body while the condition holds,
// and then to an Exit.
type frame struct {
	name      string
	variables []variable
	constants []string // constants names the Enter nodes of tensors that the loop only reads
	condition string   // condition is the tensor that says whether the loop goes on
}

// variable names the nodes of one variable of a loop.
type variable struct {
	enter, merge, fork string
	next               *framework.NodeDef
}

// frameOp is the operation of the node that stands for a whole loop. Its outputs are the variables.
const frameOp = "a loop's frame"

// foldFrames replaces each loop by one node, which runs it, and the loop's Exit nodes by nodes that
// pass the variables on.
func (p *program) foldFrames() error {
	names := slices.Sorted(maps.Keys(p.nodes))
	byName := map[string]*frame{}
	for _, name := range names {
		if def := p.nodes[name]; isOp(def, "Enter") {
			of := string(def.GetAttr()["frame_name"].GetS())
			if byName[of] == nil {
				byName[of] = &frame{name: of}
				p.frames = append(p.frames, byName[of])
			}
			byName[of].constants = append(byName[of].constants, name)
		}
	}
	for _, name := range names {
		if err := p.addVariable(byName, p.nodes[name]); err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := p.addFork(p.nodes[name]); err != nil {
			return err
		}
	}
	for _, f := range p.frames {
		if p.nodes[f.name] != nil {
			return unsupported("loop %s, which a node has as name", f.name)
		}
		p.nodes[f.name] = f.node(p)
	}
	for _, name := range names {
		p.replaceExit(p.nodes[name])
	}
	return nil
}

// isOp reports whether a node has an operation, or its twin for references.
func isOp(def *framework.NodeDef, op string) bool {
	return def.GetOp() == op || def.GetOp() == "Ref"+op
}

// from returns the node of input i.
func (p *program) from(def *framework.NodeDef, i int) *framework.NodeDef {
	if i >= len(def.GetInput()) {
		return nil
	}
	at, err := p.resolve(def.GetInput()[i])
	if err != nil {
		return nil
	}
	return p.nodes[at.node]
}

// addVariable adds a variable to the loop of a Merge that has an Enter as input.
func (p *program) addVariable(frames map[string]*frame, merge *framework.NodeDef) error {
	if !isOp(merge, "Merge") {
		return nil
	}
	enter, next := p.from(merge, 0), p.from(merge, 1)
	if !isOp(enter, "Enter") {
		return nil
	}
	if !isOp(next, "NextIteration") {
		return unsupported("loop variable %s without a next value", merge.GetName())
	}
	f := frames[string(enter.GetAttr()["frame_name"].GetS())]
	f.constants = slices.DeleteFunc(f.constants, func(name string) bool { return name == enter.GetName() })
	f.variables = append(f.variables, variable{enter: enter.GetName(), merge: merge.GetName(), next: next})
	return nil
}

// addFork adds the Switch of a loop's variable to it.
func (p *program) addFork(fork *framework.NodeDef) error {
	if !isOp(fork, "Switch") {
		return nil
	}
	merge, goesOn := p.from(fork, 0), p.from(fork, 1)
	if goesOn.GetOp() != "LoopCond" {
		return nil
	}
	for _, f := range p.frames {
		for i, v := range f.variables {
			if v.merge == merge.GetName() {
				f.variables[i].fork = fork.GetName()
				f.condition = goesOn.GetInput()[0]
				return nil
			}
		}
	}
	return unsupported("a loop without variable at %s", fork.GetName())
}

// node returns the node that runs the loop. Its inputs are those of the Enter nodes.
func (f *frame) node(p *program) *framework.NodeDef {
	def := &framework.NodeDef{Name: f.name, Op: frameOp}
	var after []string
	for _, name := range f.enters() {
		for i, input := range p.nodes[name].GetInput() {
			if i == 0 {
				def.Input = append(def.Input, input)
			} else {
				after = append(after, input)
			}
		}
	}
	def.Input = append(def.Input, after...)
	return def
}

// enters names the Enter nodes: first those of variables, then those of constants.
func (f *frame) enters() (names []string) {
	for _, v := range f.variables {
		names = append(names, v.enter)
	}
	return append(names, f.constants...)
}

// replaceExit makes an Exit take its variable from the node that runs the loop.
func (p *program) replaceExit(exit *framework.NodeDef) {
	if !isOp(exit, "Exit") {
		return
	}
	fork := p.from(exit, 0).GetName()
	for _, f := range p.frames {
		for i, v := range f.variables {
			if v.fork == fork && fork != "" {
				input := []string{tensorName(f.name, i)}
				p.nodes[exit.GetName()] = &framework.NodeDef{Name: exit.GetName(), Op: "Identity", Input: append(input, exit.GetInput()[1:]...)}
			}
		}
	}
}

// frameKernel returns the kernel that runs a loop.
func (m *Model) frameKernel(p *program, f *frame) (ops.Kernel, error) {
	var merged, forked, next, ends []string
	for _, v := range f.variables {
		merged, forked = append(merged, tensorName(v.merge, 0)), append(forked, tensorName(v.fork, 1))
		next = append(next, v.next.GetInput()[0])
		for _, after := range v.next.GetInput()[1:] {
			ends = append(ends, strings.TrimPrefix(after, "^"))
		}
	}
	if f.condition == "" || slices.ContainsFunc(f.variables, func(v variable) bool { return v.fork == "" }) {
		return nil, unsupported("loop %s without condition", f.name)
	}
	var constants []string
	for _, name := range f.constants {
		constants = append(constants, tensorName(name, 0))
	}
	condition, err := m.plan(p, append(merged, constants...), []string{f.condition}, nil)
	if err != nil {
		return nil, err
	}
	body, err := m.plan(p, append(forked, constants...), next, ends)
	if err != nil {
		return nil, err
	}
	n := len(f.variables)
	return func(c *ops.Call) ([]ops.Value, error) {
		r, ok := c.Env.(*run)
		if !ok {
			return nil, unsupported("a loop outside of a run")
		}
		state, fixed := c.In[:n:n], c.In[n:]
		for {
			out, err := r.within(condition, append(state, fixed...))
			if err != nil {
				return nil, err
			}
			if out[0].Rank() != 0 {
				text := ops.Statusf(rpcerrors.InvalidArgument, "The second input must be a scalar, but it has shape %s", value.ShapeText(out[0].Shape()))
				return nil, condition.at(f.variables[0].fork, text)
			}
			if !ops.Truth(out[0]) {
				return state, nil
			}
			if state, err = r.within(body, append(state, fixed...)); err != nil {
				return nil, err
			}
		}
	}, nil
}
