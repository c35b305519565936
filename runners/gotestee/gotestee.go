// Package gotestee is the engine as a testee: it answers cases about the agent
// service with the port, in a simulated world that is as the protocol fakes it.
//
// Two things to use first:
//
//   - [New] makes the testee, for testee.Verify and its like, or for
//     testee.Serve.
//   - [Ops] lists the operations that it answers.
//
// The operations are in one file per module of the reference, each with a table
// at its top; to add one, write a method of call and name it there. To change
// what a case sees of the world look in world.go, host.go, directory.go and zk.go;
// how values are read and written, arguments.go and values.go.
package gotestee

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/runners/testee"
)

// operation answers the call's case: a value of values.go, or an error as the
// port gives it.
type operation func(c *call) (any, error)

// table is the operations of one module.
type table map[string]operation

var operations = merge(
	utilsOps, instanceOps, dataDefOps, zkClientOps, zkMirrorOps, replicaManagerOps, backendsOps, agentServiceOps, tfsMonitorOps,
	modelMgrOps, fakeServerOps, agentV3Ops, modelManagerOps, agentControllerOps, tfsClientOps, resourceUtilsOps, trainingOps, discoveryOps, agentOps, agentV1Ops,
	clientOps, svrClientOps, constantsOps, agentV3SequenceOps, agentServiceSequenceOps,
)

func merge(tables ...table) table {
	all := table{}
	for _, t := range tables {
		maps.Copy(all, t)
	}
	return all
}

// Ops lists the operations, sorted.
func Ops() []string { return slices.Sorted(maps.Keys(operations)) }

// Testee is the engine as a testee.
type Testee struct {
	version string
	quirks  agent.Quirks
}

// New makes a testee with that version in its greeting. It answers with all faults
// of the reference.
func New(version string) *Testee { return &Testee{version: version} }

// KeepQuirks says which faults of the reference its answers have, as
// [agent.ParseQuirks] reads them.
func (t *Testee) KeepQuirks(quirks string) error {
	kept, err := agent.ParseQuirks(quirks)
	if err != nil {
		return err
	}
	t.quirks = kept
	return nil
}

// Hello tells the operations.
func (t *Testee) Hello() (testee.Hello, error) {
	return testee.Hello{Name: "monosim", Version: t.version, Ops: Ops()}, nil
}

// Close does nothing.
func (t *Testee) Close() error { return nil }

// Answer answers a case in a world of its own.
func (t *Testee) Answer(c *testee.Case) testee.Answer {
	op, ok := operations[c.Op]
	if !ok {
		return testee.Answer{Kind: testee.Skipped, Why: "unknown operation " + c.Op}
	}
	out, err := t.answer(c, op)
	var bad badCase
	var skip skipped
	var panicked *vtime.PanicError
	switch {
	case err == nil:
		return testee.Answer{Kind: testee.Returned, Out: out}
	case errors.As(err, &bad):
		return testee.Answer{Kind: testee.Raised, Type: testee.BadCaseType, Message: string(bad)}
	case errors.As(err, &skip):
		return testee.Answer{Kind: testee.Skipped, Why: string(skip)}
	case errors.As(err, &panicked):
		return testee.Answer{Kind: testee.Broken, Why: fmt.Sprintf("%v", panicked)}
	}
	typ, message := failureOf(err)
	return testee.Answer{Kind: testee.Raised, Type: typ, Message: hide(message)}
}

// badCase says what of a case is not as the protocol has it.
type badCase string

func (b badCase) Error() string { return string(b) }

// skipped says why the port cannot answer a case of an operation that it has.
type skipped string

func (s skipped) Error() string { return string(s) }

// badCasef unwinds to the answer.
func badCasef(format string, args ...any) { panic(badCase(fmt.Sprintf(format, args...))) }

// answer runs the operation as the main thread of a process. It returns encoded.
func (t *Testee) answer(c *testee.Case, op operation) (out any, err error) {
	defer func() {
		if why := verdictOf(recover()); why != nil {
			out, err = nil, why
		}
	}()
	w := newWorld(c, t.quirks)
	defer w.close()
	w.run(func(call *call) {
		defer func() {
			if why := verdictOf(recover()); why != nil {
				err = why
			}
		}()
		if out, err = op(call); err == nil {
			out = encode(out)
		}
	})
	if w.failure != nil {
		return nil, w.failure
	}
	return out, err
}

// verdictOf is the error of a panic by which this package ends a case; any other
// goes on, to the world, which makes an error of it.
func verdictOf(recovered any) error {
	switch r := recovered.(type) {
	case nil:
		return nil
	case badCase:
		return r
	case skipped:
		return r
	}
	panic(recovered)
}
