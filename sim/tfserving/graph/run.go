package graph

import (
	"errors"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// Run computes the fetched tensors from the fed ones. The error is an *env.RPCError, or an
// *ops.Unsupported if an operation does not support its inputs.
func (p *Plan) Run(feeds []tensor.Tensor) ([]tensor.Tensor, error) {
	fed := lists.Map(feeds, value.FromTensor)
	if err := emptyOnes(fed); err != nil {
		return nil, err
	}
	fetched, err := p.run(&run{model: p.model}, fed)
	if err != nil {
		return nil, withNode(err)
	}
	out := make([]tensor.Tensor, len(fetched))
	for i, v := range fetched {
		if out[i], err = v.Tensor(); err != nil {
			return nil, unsupported("output %d: %v", i, err)
		}
	}
	return out, nil
}

// run is one execution of a plan and of the functions that it calls. It implements ops.Env.
type run struct {
	model       *Model
	bytes, work int
	path        []string // path has the names of the running nodes; each one calls the next
}

// These limits apply to one run. A graph that exceeds them gets TensorFlow's error for exhausted
// memory.
const (
	maxBytes = 1 << 30
	maxWork  = 1 << 36
	stepWork = 1 << 8 // multiplications that take as long as a step
	maxDepth = 200    // maxDepth limits how deep calls of functions are nested
)

// Take implements ops.Env.
func (r *run) Take(bytes, work int) bool {
	r.bytes, r.work = r.bytes+bytes, r.work+work
	return bytes >= 0 && work >= 0 && r.bytes <= maxBytes && r.work <= maxWork
}

// State implements ops.Env.
func (r *run) State() *ops.State { return r.model.state }

// Path implements ops.Env.
func (r *run) Path() string { return strings.Join(r.path, "/") }

// ReadFile implements ops.Env.
func (r *run) ReadFile(path string) ([]byte, error) { return r.model.readFile(path) }

// Call implements ops.Env: it runs a function.
func (r *run) Call(function *framework.NameAttrList, args []ops.Value) ([]ops.Value, error) {
	plan := r.model.plans[function.GetName()]
	if plan == nil || plan.feeds != len(args) {
		return nil, unsupported("a call of %s with %d arguments", function.GetName(), len(args))
	}
	if len(r.path) > maxDepth {
		return nil, unsupported("more than %d calls within each other", maxDepth)
	}
	return r.within(plan, args)
}

// within runs a plan as a part of the run, and then frees the memory of everything that the plan
// does not return.
func (r *run) within(plan *Plan, args []ops.Value) ([]ops.Value, error) {
	before := r.bytes
	out, err := plan.run(r, args)
	r.bytes = before
	for _, v := range out {
		r.bytes += v.Bytes()
	}
	return out, err
}

// nodeError is the error of a node. function is the function that contains the node, or "" for the
// graph itself.
type nodeError struct {
	err            *env.RPCError
	function, node string
}

func (e *nodeError) Error() string { return e.err.Error() }

// at adds the node's name to an error of its operation. An error from inside a called function
// already has the name of its own node.
func (p *Plan) at(node string, err error) error {
	var inner *nodeError
	var status *env.RPCError
	if !errors.As(err, &inner) && errors.As(err, &status) {
		return &nodeError{status, p.function, node}
	}
	return err
}

// withNode appends the node's name to the text of an error, as TensorFlow's executor does.
func withNode(err error) error {
	var inner *nodeError
	if !errors.As(err, &inner) {
		return err
	}
	place := "{{node " + inner.node + "}}"
	if inner.function != "" {
		place = "{{function_node " + inner.function + "}}" + place
	}
	return &env.RPCError{Code: inner.err.Code, Message: inner.err.Message + "\n\t [[" + place + "]]"}
}

// run executes the steps in order. A tensor without dtype is dead: it comes from the branch that a
// Switch did not take. Steps that depend on a dead tensor do not run.
func (p *Plan) run(r *run, feeds []ops.Value) ([]ops.Value, error) {
	values := make([][]ops.Value, len(p.steps))
	for i := range feeds {
		values[i] = feeds[i : i+1]
	}
	for i := p.feeds; i < len(p.steps); i++ {
		s := &p.steps[i]
		if p.idle != nil && p.idle[i] {
			continue
		}
		if !r.Take(0, stepWork) {
			return nil, unsupported("a run of more than %d steps", maxWork/stepWork)
		}
		inputs, alive, err := s.gather(values)
		if err != nil {
			return nil, p.at(s.node.Name, err)
		}
		if !alive {
			continue
		}
		r.path = append(r.path, s.node.Name)
		out, err := s.compute(&ops.Call{Node: s.node, In: inputs, Env: r})
		r.path = r.path[:len(r.path)-1]
		if err != nil {
			return nil, p.at(s.node.Name, err)
		}
		if out == nil {
			out = []ops.Value{}
		}
		values[i] = out
	}
	fetched := make([]ops.Value, len(p.fetches))
	for i, from := range p.fetches {
		v, ok := valueAt(values, from)
		if !ok {
			return nil, unsupported("a fetched tensor that is dead")
		}
		var err error
		if fetched[i], err = ops.Deref("", v); err != nil {
			return nil, p.at("fetch", err)
		}
	}
	return fetched, nil
}

// compute runs the step's kernel. It turns a run-time panic of the kernel into an Unsupported
// error, because one odd request must not end the server.
func (s *step) compute(c *ops.Call) (out []ops.Value, err error) {
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case interface{ RuntimeError() }: // an error of the computation, such as an index out of range
			out, err = nil, unsupported("%s: inputs that its kernel did not look at: %v", c.Op, fault)
		default:
			panic(fault)
		}
	}()
	if out, err = s.run(c); err == nil {
		err = emptyOnes(out)
	}
	return out, err
}

// emptyOnes returns the error of the first empty tensor with too large sizes.
func emptyOnes(list []ops.Value) error {
	for _, v := range list {
		if err := ops.Empty(v); err != nil {
			return err
		}
	}
	return nil
}

func valueAt(values [][]ops.Value, from slot) (ops.Value, bool) {
	list := values[from.step]
	if from.port >= len(list) || list[from.port].DType() == 0 {
		return ops.Value{}, false
	}
	return list[from.port], true
}

// gather returns the inputs of a step, and whether the step runs. A Merge runs if any of its inputs
// is not dead.
func (s *step) gather(values [][]ops.Value) (inputs []ops.Value, alive bool, err error) {
	for _, step := range s.after {
		if values[step] == nil {
			return nil, false, nil
		}
	}
	merges := ops.Merges(s.node.Op)
	inputs = make([]ops.Value, len(s.inputs))
	some := false
	for i, from := range s.inputs {
		v, ok := valueAt(values, from)
		if !ok && !merges {
			return nil, false, nil
		}
		some = some || ok
		if inputs[i], err = ops.Deref(s.node.Op, v); err != nil {
			return nil, false, err
		}
	}
	return inputs, some || !merges, nil
}
