package infer

import (
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving/answers"
)

// Call is a request that has passed the server's checks and waits for the Session::Run that
// computes its response. It is immutable, so any thread may use it. The request message must not
// change meanwhile.
type Call struct {
	model  *Model
	answer answer
	// examples is the number of examples in a Classify, Regress or MultiInference call.
	examples int
	// parts holds the inputs and outputs of the run, by signature. Only a MultiInference has
	// several parts. one provides memory for a single part.
	parts []part
	one   [1]part // one is the room for the only part
}

// part holds the fed inputs and fetched outputs of one signature. classifies is true for a
// classification.
type part struct {
	signature  *Signature
	feeds      []feed
	outputs    []*output
	classifies bool
	scripted   *answers.Answer // scripted is the answer of a script; nil if there is none
}

// answer makes the response message from the results of the run.
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

// newCall makes a call with a single part.
func newCall(m *Model, p part, examples int, a answer) *Call {
	c := &Call{model: m, answer: a, examples: examples, one: [1]part{p}}
	c.parts = c.one[:]
	return c
}

// Check makes the checks of the TensorFlow runtime, and returns the error if it would refuse the
// run.
func (c *Call) Check() *env.RPCError {
	for i := range c.parts {
		p := &c.parts[i]
		if err := checkFed(p.feeds, p.outputs); err != nil {
			return err
		}
		if p.isScripted() {
			continue // the answer comes from a script, so the graph does not run
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
