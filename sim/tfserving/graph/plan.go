package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
)

// Plan lists the nodes that some outputs need, in the order in which to run them.
type Plan struct {
	model    *Model
	function string // function names the function that the plan runs; "" for the graph itself
	feeds    int
	steps    []step
	fetches  []slot
	idle     []bool // idle marks the steps that do not run; nil if all run
}

// slot is an output of a step: the index of the step, and the output's port. The first steps stand
// for the fed values.
type slot struct{ step, port int }

type step struct {
	node   *ops.Node
	run    ops.Kernel
	inputs []slot
	after  []int // after lists the steps that must have run before this one, and must not be dead
}

func unsupported(format string, args ...any) error {
	return &ops.Unsupported{What: fmt.Sprintf(format, args...)}
}

// Plan returns the plan that computes the tensors in fetches from the fed tensors. Names have the
// form x:0. An *ops.Unsupported error says what in the graph cannot be run.
func (m *Model) Plan(feeds, fetches []string) (*Plan, error) {
	return m.plan(m.main, feeds, fetches, nil)
}

// Only returns a plan for some of the fetched tensors, given by their indices.
func (p *Plan) Only(fetches []int) *Plan {
	part := *p
	part.fetches = nil
	var ends []int
	for _, i := range fetches {
		part.fetches = append(part.fetches, p.fetches[i])
		ends = append(ends, p.fetches[i].step)
	}
	part.idle = p.without(ends)
	return &part
}

// without returns, for each step, whether the step can be left out. A step cannot be left out if it
// is in ends, or if a step that stays needs it.
func (p *Plan) without(ends []int) []bool {
	idle := slices.Repeat([]bool{true}, len(p.steps))
	for _, i := range ends {
		idle[i] = false
	}
	for i := len(p.steps) - 1; i >= p.feeds; i-- { // a step's inputs come earlier in the list
		if idle[i] {
			continue
		}
		for _, from := range p.steps[i].inputs {
			idle[from.step] = false
		}
		for _, step := range p.steps[i].after {
			idle[step] = false
		}
	}
	return idle
}

// plan does what Plan does, and also runs the nodes named in ends without fetching their outputs.
func (m *Model) plan(p *program, feeds, fetches, ends []string) (*Plan, error) {
	if p.faulty != nil {
		return nil, p.faulty
	}
	w := &planner{program: p, plan: &Plan{model: m, feeds: len(feeds)}, fed: map[source]int{}, steps: map[string]int{}, given: map[string]bool{}}
	for i, text := range feeds {
		from, err := p.resolve(text)
		if err != nil {
			return nil, err
		}
		if p.nodes[from.node] == nil && !p.inFunction {
			return nil, unsupported("no node %s to feed", from.node)
		}
		w.fed[from], w.given[from.node] = i, true
		w.plan.steps = append(w.plan.steps, step{})
	}
	for _, text := range fetches {
		at, err := w.need(text)
		if err != nil {
			return nil, err
		}
		w.plan.fetches = append(w.plan.fetches, at)
		w.markAlone(at)
	}
	for _, name := range ends {
		if _, err := w.need("^" + name); err != nil {
			return nil, err
		}
	}
	if w.shortened {
		w.leaveOut(ends)
	}
	return w.plan, nil
}

// planner puts the nodes of a graph in an order in which inputs come first.
type planner struct {
	*program
	plan  *Plan
	fed   map[source]int
	given map[string]bool // given has the nodes of the fed tensors
	// steps has the index of each node's step, or pending while the steps of the node's inputs are
	// being added
	steps map[string]int

	// shortened is set once a step reads its input from an earlier step than in the graph, so that
	// the steps between may be unnecessary
	shortened bool
}

const pending = -1

// visited is a node whose inputs are being added to the plan. next is the index of the next input.
type visited struct {
	def    *framework.NodeDef
	inputs []source
	next   int
}

// need adds a tensor and all nodes that it depends on to the plan, and returns its slot. It keeps
// an explicit stack, because a graph may be too deep for recursive calls.
func (w *planner) need(text string) (slot, error) {
	target, err := w.resolve(text)
	if err != nil {
		return slot{}, err
	}
	stack, err := w.open(nil, target)
	for err == nil && len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next < len(top.inputs) {
			top.next++
			stack, err = w.open(stack, top.inputs[top.next-1])
			continue
		}
		err = w.add(top)
		stack = stack[:len(stack)-1]
	}
	if err != nil {
		return slot{}, err
	}
	return w.slotOf(target), nil
}

func (w *planner) slotOf(from source) slot {
	if fed, ok := w.fed[from]; ok {
		return slot{fed, 0}
	}
	return slot{w.steps[from.node], from.port}
}

// open pushes a node onto the stack, unless the node is fed or already has a step. If the node's
// inputs are still being added, there is a cycle, which is an error.
func (w *planner) open(stack []visited, from source) ([]visited, error) {
	if _, ok := w.fed[from]; ok {
		return stack, nil
	}
	if at, ok := w.steps[from.node]; ok {
		if at == pending {
			return nil, unsupported("a cycle at %s", from.node)
		}
		return stack, nil
	}
	if from.port == atEnd && w.given[from.node] {
		return stack, nil // fed tensors exist from the start, so no step has to wait for them
	}
	def := w.nodes[from.node]
	if def == nil {
		return nil, unsupported("no node %s", from.node)
	}
	v := visited{def: def}
	for _, text := range def.GetInput() {
		input, err := w.resolve(text)
		if err != nil {
			return nil, err
		}
		v.inputs = append(v.inputs, input)
	}
	w.steps[from.node] = pending
	return append(stack, v), nil
}

// add appends a step for a node. The nodes of its inputs already have their steps.
func (w *planner) add(v *visited) error {
	s := step{node: w.model.node(v.def)}
	for _, from := range v.inputs {
		switch {
		case from.port != atEnd:
			s.inputs = append(s.inputs, w.slotOf(from))
		case !w.given[from.node]:
			s.after = append(s.after, w.steps[from.node])
		}
	}
	var err error
	if s.run, err = w.kernel(s.node); err != nil {
		return err
	}
	w.shortenLookup(&s)
	w.steps[v.def.GetName()] = len(w.plan.steps)
	w.plan.steps = append(w.plan.steps, s)
	return nil
}

// shortenLookup lets the reduction of an embedding look-up read its rows from the table itself. In
// the SavedModel it reads them from a gather of unique ids. TensorFlow's optimizer makes the same
// change before a graph runs (core/grappler/optimizers/arithmetic_optimizer.cc,
// SimplifyEmbeddingLookupStage).
func (w *planner) shortenLookup(s *step) {
	if !strings.HasPrefix(s.node.Op, "SparseSegment") || len(s.inputs) < 3 {
		return
	}
	gather := w.behindIdentities(s.inputs[0])
	if gather == nil || len(gather.inputs) < 2 || !gather.node.GathersRows() || len(gather.after) > 0 {
		return
	}
	if len(gather.inputs) > 2 { // the third input of a GatherV2 is its axis
		axis := w.behindIdentities(gather.inputs[2])
		if axis == nil || !axis.node.IsZero() {
			return
		}
	}
	from := gather.inputs[1]
	unique := &w.plan.steps[from.step]
	if unique.node == nil || unique.node.Op != "Unique" || from.port != 0 || s.inputs[1] != (slot{from.step, 1}) {
		return
	}
	s.inputs[0], s.inputs[1] = gather.inputs[0], unique.inputs[0]
	w.shortened = true
	if gather.node.Op == "ResourceGather" {
		reduce, table := s.run, gather.node // the attributes of the table say what the variable holds
		read, _ := ops.Find("ReadVariableOp")
		s.run = func(c *ops.Call) ([]ops.Value, error) {
			rows, err := read(&ops.Call{Node: table, In: c.In[:1], Env: c.Env})
			if err != nil {
				return nil, err
			}
			return reduce(&ops.Call{Node: c.Node, In: append(rows, c.In[1:]...), Env: c.Env})
		}
	}
}

// behindIdentities returns the step that computes a tensor. It skips Identity operations, which
// only pass the tensor on. It returns nil for a fed tensor.
func (w *planner) behindIdentities(from slot) *step {
	for from.step >= w.plan.feeds {
		s := &w.plan.steps[from.step]
		if s.node.Op != "Identity" || len(s.after) > 0 {
			return s
		}
		from = s.inputs[0]
	}
	return nil
}

// markAlone marks the node that computes a fetched tensor.
func (w *planner) markAlone(from slot) {
	for from.step >= w.plan.feeds {
		s := &w.plan.steps[from.step]
		s.node.Alone = true
		if s.node.Op != "Identity" {
			return
		}
		from = s.inputs[0]
	}
}

// leaveOut marks the steps that nothing needs any more. ends names the nodes that have to run
// although their outputs are not fetched.
func (w *planner) leaveOut(ends []string) {
	var needed []int
	for _, at := range w.plan.fetches {
		needed = append(needed, at.step)
	}
	for _, name := range ends {
		needed = append(needed, w.steps[name])
	}
	w.plan.idle = w.plan.without(needed)
}

// kernel returns the kernel that executes a node, or the loop that it stands for.
func (w *planner) kernel(node *ops.Node) (ops.Kernel, error) {
	if node.Op != frameOp {
		return w.model.kernel(node)
	}
	at := slices.IndexFunc(w.frames, func(f *frame) bool { return f.name == node.Name })
	return w.model.frameKernel(w.program, w.frames[at])
}

// kernel returns the kernel that executes a node. It fails if a function that the node calls cannot
// be run.
func (m *Model) kernel(node *ops.Node) (ops.Kernel, error) {
	if m.functions[node.Op] != nil {
		own := &framework.NameAttrList{Name: node.Op}
		_, err := m.function(own.GetName())
		return func(c *ops.Call) ([]ops.Value, error) { return c.Env.Call(own, c.In) }, err
	}
	run := familyOf(node.Op).Kernels[node.Op]
	if run == nil {
		return nil, unsupported("operation %s", cmp.Or(node.Op, "without name"))
	}
	for _, f := range node.Functions() {
		if _, err := m.function(f.GetName()); err != nil {
			return nil, err
		}
	}
	return run, nil
}

// function returns the plan of a function. It makes the plan at the first use, while the model is
// loaded.
func (m *Model) function(name string) (*Plan, error) {
	if known, ok := m.plans[name]; ok {
		if known == nil {
			return nil, unsupported("function %s, which calls itself", name)
		}
		return known, nil
	}
	def := m.functions[name]
	if def == nil {
		return nil, unsupported("function %s", name)
	}
	m.plans[name] = nil
	plan, err := m.planFunction(name, def)
	if err != nil {
		delete(m.plans, name)
		return nil, err
	}
	m.plans[name] = plan
	return plan, nil
}

func (m *Model) planFunction(name string, def *framework.FunctionDef) (*Plan, error) {
	var feeds, fetches, ends []string
	for _, arg := range def.GetSignature().GetInputArg() {
		if arg.GetNumberAttr() != "" || arg.GetTypeListAttr() != "" {
			return nil, unsupported("function %s with a list as argument", name)
		}
		feeds = append(feeds, arg.GetName())
	}
	for _, arg := range def.GetSignature().GetOutputArg() {
		fetches = append(fetches, def.GetRet()[arg.GetName()])
	}
	for _, output := range def.GetSignature().GetControlOutput() {
		ends = append(ends, def.GetControlRet()[output])
	}
	plan, err := m.plan(m.newProgram(def.GetNodeDef(), true), feeds, fetches, ends)
	if err != nil {
		return nil, err
	}
	plan.function = name
	return plan, nil
}
