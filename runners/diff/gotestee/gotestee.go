// Package gotestee is the engine as a testee: it answers cases about the agent service with the
// port, in a simulated world that is as the protocol fakes it.
//
// Two things to use first:
//
//   - [New] makes the testee, for conformance.Verify and its like, or for testee.Serve.
//   - [Ops] lists the operations that it answers.
//
// An operation is declared in package catalogue; here stands the Go function that answers it,
// which gets the declared fields as its parameters (caseworld.Table).
//
//   - to answer an operation of the agent: the table at the top of its module's file
//   - of a program behind its command line: package commandlines
//   - of the training side: package trainingcases
//   - to change what a case sees of the world, how values are read and written, or how the steps
//     of a sequence are done: package caseworld
//   - to change how golden cases are answered by their ids: recorded.go
//
// Unstable: any commit may change it.
package gotestee

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/tasks"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
	"github.com/monosim/monosim/runners/diff/gotestee/commandlines"
	"github.com/monosim/monosim/runners/diff/gotestee/trainingcases"
	"github.com/monosim/monosim/runners/diff/testee"
)

// call is one case that is being answered. Its methods implement operations.
type call struct{ *caseworld.Call }

// table holds the operations of one module.
type table = caseworld.Table

var operations = merge(
	utilsOps, instanceOps, dataDefOps, zkClientOps, zkMirrorOps, replicaManagerOps, backendsOps, agentServiceOps, tfsMonitorOps,
	modelMgrOps, fakeServerOps, agentV3Ops, modelManagerOps, agentControllerOps, tfsClientOps, resourceUtilsOps, trainingOps, discoveryOps, agentOps, agentV1Ops,
	clientOps, svrClientOps, constantsOps, pythonOps, agentV3SequenceOps, agentServiceSequenceOps,
	commandlines.Ops(), trainingcases.Ops(),
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

// Testee is the engine in the role of a testee, a program that answers cases.
type Testee struct {
	version string
	quirks  quirks.Set
}

// New makes a testee whose greeting names this version. Its answers keep all faults of the
// reference.
func New(version string) *Testee { return &Testee{version: version} }

// KeepQuirks sets which faults of the reference the answers keep. keep is parsed by [quirks.Parse],
// whose error is returned. Call KeepQuirks before the first Answer.
func (t *Testee) KeepQuirks(keep string) error {
	kept, err := quirks.Parse(keep)
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

// Answer answers a case in a world of its own. It is safe for concurrent use.
func (t *Testee) Answer(c *testee.Case) testee.Answer {
	op, ok := operations[c.Op]
	if !ok {
		return testee.Answer{Kind: testee.Skipped, Why: "unknown operation " + c.Op}
	}
	out, beside, err := t.answer(c, op)
	var bad caseworld.BadCase
	var skip caseworld.Skipped
	var panicked *tasks.PanicError
	switch {
	case err == nil:
		return testee.Answer{Kind: testee.Returned, Out: out, Beside: beside}
	case errors.As(err, &bad):
		return testee.Answer{Kind: testee.Raised, Type: testee.BadCaseType, Message: string(bad)}
	case errors.As(err, &skip):
		return testee.Answer{Kind: testee.Skipped, Why: string(skip)}
	case errors.As(err, &panicked):
		return testee.Answer{Kind: testee.Broken, Why: fmt.Sprintf("%v", panicked)}
	}
	typ, message := caseworld.FailureOf(err)
	return testee.Answer{Kind: testee.Raised, Type: typ, Message: caseworld.Hide(message), Beside: beside}
}

// answer runs an operation as the main thread of a process. It returns the encoded result, and the
// fields that the case shows in addition.
func (t *Testee) answer(c *testee.Case, op any) (out any, beside *pysem.Dict, err error) {
	defer func() {
		if why := caseworld.VerdictOf(recover()); why != nil {
			out, err = nil, why
		}
	}()
	w := caseworld.New(c, t.quirks)
	defer w.Close()
	w.Run(func(answered *caseworld.Call) {
		defer func() {
			if why := caseworld.VerdictOf(recover()); why != nil {
				err = why
			}
		}()
		if out, err = answered.Answer(op); err == nil {
			out = caseworld.Encode(out)
		}
	})
	if w.Failure != nil {
		return nil, nil, w.Failure
	}
	return out, w.Beside(), err
}
