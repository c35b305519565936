package conformance

import (
	"encoding/json"
	"fmt"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
	"github.com/monosim/monosim/vectors/golden"
	"github.com/monosim/monosim/vectors/scope"
)

// Vector is a case with its expected answer.
type Vector struct {
	testee.Case
	Want testee.Answer
}

// VectorOf parses a recorded case of a suite, with its expected answer.
func VectorOf(v *golden.Case) (*Vector, error) {
	c, err := CaseOf(&v.Question)
	if err != nil {
		return nil, err
	}
	answer := &pysem.Dict{}
	for _, part := range []struct {
		name string
		raw  json.RawMessage
	}{{"out", v.Out}, {"error", v.Error}, {"logs", v.Logs}, {"metrics", v.Metrics}, {"waits", v.Waits}} {
		if len(part.raw) == 0 {
			continue
		}
		value, err := pysem.ParseJSON(string(part.raw))
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", v.ID, part.name, err)
		}
		answer.Set(part.name, value)
	}
	want, err := testee.AnswerOf(answer)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v.ID, err)
	}
	return &Vector{Case: *c, Want: want}, nil
}

// CaseOf parses the JSON parts of a recorded case's question.
func CaseOf(q *golden.Question) (*testee.Case, error) {
	c := &testee.Case{ID: q.ID, Op: q.Op, Shows: q.Shows}
	for _, part := range []struct {
		name string
		raw  json.RawMessage
		to   **pysem.Dict
	}{{"env", q.Env, &c.Env}, {"host", q.Host, &c.Host}, {"files", q.Files, &c.Files}, {"in", q.In, &c.In}} {
		if len(part.raw) == 0 {
			continue
		}
		d, err := testee.ParseObject(string(part.raw))
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", q.ID, part.name, err)
		}
		*part.to = d
	}
	if c.In == nil {
		return nil, fmt.Errorf("%s: in: found nothing, want an object", q.ID)
	}
	return c, nil
}

// ToVector makes a recorded case of a case and its answer. The answer must be a value or an error.
func ToVector(c *testee.Case, a testee.Answer, about string, flags []string) (golden.Case, error) {
	v := golden.Case{Question: questionOf(c, about), Flags: flags, Verdict: scope.Match}
	switch a.Kind {
	case testee.Returned:
		v.Out = pysem.AppendJSON(nil, a.Out)
	case testee.Raised:
		v.Error = pysem.AppendJSON(nil, testee.FailureObject(a.Type, a.Message))
	default:
		return v, fmt.Errorf("%s: found an answer that is %s (%s), want a value or an error", c.ID, a.Kind, a.Why)
	}
	for _, part := range []struct {
		name string
		to   *json.RawMessage
	}{{"logs", &v.Logs}, {"metrics", &v.Metrics}, {"waits", &v.Waits}} {
		if !c.Asks(part.name) {
			continue
		}
		shown, ok := a.Beside.Get(part.name)
		if !ok {
			return v, fmt.Errorf("%s: found no %s in the answer, want them as the case's shows names them", c.ID, part.name)
		}
		*part.to = pysem.AppendJSON(nil, shown)
	}
	return v, nil
}

func questionOf(c *testee.Case, about string) golden.Question {
	return golden.Question{
		ID: c.ID, Op: c.Op, About: about, Shows: c.Shows,
		Env: rawDict(c.Env), Host: rawDict(c.Host), Files: rawDict(c.Files), In: rawDict(c.In),
	}
}

func rawDict(d *pysem.Dict) json.RawMessage {
	if d == nil {
		return nil
	}
	return pysem.AppendJSON(nil, d)
}
