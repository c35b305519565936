package infer

import (
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving/answers"
)

// Call is a checked request, before the Session::Run that computes its response. It is immutable,
// so any thread may use it. The request that it came from must not change meanwhile.
type Call struct {
	model  *Model
	answer answer
	// examples is the number of examples of a call other than Predict.
	examples int
	// parts holds what the run feeds and fetches, by signature. Only a MultiInference has several.
	parts []part
	one   [1]part // one is the room for the only part
}

// part is what a run feeds and fetches for one signature. classifies is true for a classification.
type part struct {
	signature  *Signature
	feeds      []feed
	outputs    []*output
	classifies bool
	scripted   *answers.Answer // scripted is what a script answers; nil for nothing
}

// answer makes the response from the results of the run.
type answer func(c *Call, r results) (proto.Message, error)

// results holds a computation for each part of a call.
type results struct {
	first *computation
	rest  []*computation
}

func (r results) of(i int) *computation {
	if i == 0 {
		return r.first
	}
	return r.rest[i-1]
}

// newCall makes a call of one part.
func newCall(m *Model, p part, examples int, a answer) *Call {
	c := &Call{model: m, answer: a, examples: examples, one: [1]part{p}}
	c.parts = c.one[:]
	return c
}

// Check makes the checks with which the runtime refuses the run.
func (c *Call) Check() *env.RPCError {
	for i := range c.parts {
		p := &c.parts[i]
		if err := checkFed(p.feeds, p.outputs); err != nil {
			return err
		}
		if p.isScripted() {
			continue // the graph does not run
		}
		if err := c.model.checkRun(p.signature, p.feeds); err != nil {
			return err
		}
	}
	return nil
}

// Run computes the response. Its error is an *env.RPCError. Check must have passed.
func (c *Call) Run() (proto.Message, error) {
	var r results
	for i := range c.parts {
		computed, err := c.model.computePart(&c.parts[i])
		if err != nil {
			return nil, err
		}
		if i == 0 {
			r.first = computed
		} else {
			r.rest = append(r.rest, computed)
		}
	}
	return c.answer(c, r)
}
