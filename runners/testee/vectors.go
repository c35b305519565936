package testee

import (
	"encoding/json"
	"fmt"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/vectors"
)

// Vector is a case with the answer that is expected.
type Vector struct {
	Case
	Want Answer
}

// VectorOf reads a case of a suite.
func VectorOf(v *vectors.Case) (*Vector, error) {
	c, err := CaseOf(&v.Question)
	if err != nil {
		return nil, err
	}
	answer := &pysem.Dict{}
	for _, part := range []struct {
		name string
		raw  json.RawMessage
	}{{"out", v.Out}, {"error", v.Error}} {
		if len(part.raw) == 0 {
			continue
		}
		value, err := pysem.ParseJSON(string(part.raw))
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", v.ID, part.name, err)
		}
		answer.Set(part.name, value)
	}
	want, err := AnswerOf(answer)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v.ID, err)
	}
	return &Vector{Case: *c, Want: want}, nil
}

// CaseOf reads what a case asks.
func CaseOf(q *vectors.Question) (*Case, error) {
	c := &Case{ID: q.ID, Op: q.Op}
	for _, part := range []struct {
		name string
		raw  json.RawMessage
		to   **pysem.Dict
	}{{"env", q.Env, &c.Env}, {"host", q.Host, &c.Host}, {"files", q.Files, &c.Files}, {"in", q.In, &c.In}} {
		if len(part.raw) == 0 {
			continue
		}
		d, err := parseObject(string(part.raw))
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

// ToVector makes a vector of a case and its answer, which must be a value or an
// error.
func ToVector(c *Case, a Answer, about string, flags []string) (vectors.Case, error) {
	v := vectors.Case{Question: questionOf(c, about), Flags: flags, Verdict: vectors.Match}
	switch a.Kind {
	case Returned:
		v.Out = pysem.AppendJSON(nil, a.Out)
	case Raised:
		v.Error = pysem.AppendJSON(nil, failureObject(a.Type, a.Message))
	default:
		return v, fmt.Errorf("%s: found an answer that is %s (%s), want a value or an error", c.ID, a.Kind, a.Why)
	}
	return v, nil
}

func questionOf(c *Case, about string) vectors.Question {
	return vectors.Question{
		ID: c.ID, Op: c.Op, About: about,
		Env: rawDict(c.Env), Host: rawDict(c.Host), Files: rawDict(c.Files), In: rawDict(c.In),
	}
}

func rawDict(d *pysem.Dict) json.RawMessage {
	if d == nil {
		return nil
	}
	return pysem.AppendJSON(nil, d)
}
