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
	c, err := caseOfParts(v.ID, v.Op, v.Env, v.Host, v.Files, v.In)
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

// CaseOf reads a line of a case file.
func CaseOf(in *vectors.Input) (*Case, error) {
	return caseOfParts(in.ID, in.Op, in.Env, in.Host, in.Files, in.In)
}

func caseOfParts(id, op string, env, host, files, in json.RawMessage) (*Case, error) {
	c := &Case{ID: id, Op: op}
	for _, part := range []struct {
		name string
		raw  json.RawMessage
		to   **pysem.Dict
	}{{"env", env, &c.Env}, {"host", host, &c.Host}, {"files", files, &c.Files}, {"in", in, &c.In}} {
		if len(part.raw) == 0 {
			continue
		}
		d, err := parseObject(string(part.raw))
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", id, part.name, err)
		}
		*part.to = d
	}
	if c.In == nil {
		return nil, fmt.Errorf("%s: in: found nothing, want an object", id)
	}
	return c, nil
}

// ToVector makes a vector of a case and its answer, which must be a value or an
// error.
func ToVector(c *Case, a Answer, about string, flags []string) (vectors.Case, error) {
	v := vectors.Case{ID: c.ID, Op: c.Op, About: about, Flags: flags, Verdict: vectors.Match}
	v.Env, v.Host, v.Files, v.In = rawDict(c.Env), rawDict(c.Host), rawDict(c.Files), rawDict(c.In)
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

func rawDict(d *pysem.Dict) json.RawMessage {
	if d == nil {
		return nil
	}
	return pysem.AppendJSON(nil, d)
}
