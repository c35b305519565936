package testee

import (
	"fmt"

	"github.com/monosim/monosim/engine/enum"
	"github.com/monosim/monosim/engine/pysem"
)

// Kind says what an answer is.
type Kind uint8

// The kinds of answers.
const (
	// Returned is an answer with a value.
	Returned Kind = iota
	// Raised is an answer in which the operation as a whole raised an exception.
	Raised
	// Skipped is the answer of a testee that does not have the operation.
	Skipped
	// Broken stands for a missing answer: the testee died, was too late, or wrote something
	// that is no answer by the protocol.
	Broken
)

var kindNames = []string{"out", "error", "skipped", "broken"}

func (k Kind) String() string { return enum.Listed(kindNames, k) }

// Answer is the answer to a case.
type Answer struct {
	Kind Kind
	// Out is the value of a Returned answer, in pysem's types.
	Out any
	// Beside holds the fields of a Returned or Raised answer that [Beside] lists; nil for none.
	Beside *pysem.Dict
	// Type and Message describe the Python exception of a Raised answer.
	Type, Message string
	// Why is the reason of a Skipped or Broken answer.
	Why string
	// Late reports, of a Broken answer, that the testee did not answer in time.
	Late bool
}

// brokenf makes an answer of kind Broken.
func brokenf(format string, args ...any) Answer {
	return Answer{Kind: Broken, Why: fmt.Sprintf(format, args...)}
}

// ParseAnswer reads an answer and the id of its case from a line.
func ParseAnswer(line string) (id string, a Answer, err error) {
	d, err := ParseObject(line)
	if err != nil {
		return "", Answer{}, err
	}
	v, _ := d.Get("id")
	id, ok := v.(string)
	if !ok {
		return "", Answer{}, fmt.Errorf("id: found %s, want a string", describe(v))
	}
	a, err = AnswerOf(d)
	return id, a, err
}

// AnswerOf reads the answer from an object that has exactly one of out, error and skipped.
// It reads the fields of [Beside] too, and ignores all others.
func AnswerOf(d *pysem.Dict) (Answer, error) {
	out, returned := d.Get("out")
	failure, raised := d.Get("error")
	why, skipped := d.Get("skipped")
	n := 0
	for _, has := range []bool{returned, raised, skipped} {
		if has {
			n++
		}
	}
	if n != 1 {
		return Answer{}, fmt.Errorf("found %d of out, error and skipped, want exactly one", n)
	}
	switch {
	case returned:
		return Answer{Kind: Returned, Out: out, Beside: besideOf(d)}, nil
	case skipped:
		text, ok := why.(string)
		if !ok {
			return Answer{}, fmt.Errorf("skipped: found %s, want a string that says why", describe(why))
		}
		return Answer{Kind: Skipped, Why: text}, nil
	}
	typ, message, ok := FailureFields(failure)
	if !ok {
		return Answer{}, fmt.Errorf(`error: found %s, want {"type","message"} of strings`, describe(failure))
	}
	return Answer{Kind: Raised, Type: typ, Message: message, Beside: besideOf(d)}, nil
}

func besideOf(d *pysem.Dict) *pysem.Dict {
	var found *pysem.Dict
	for _, name := range Beside {
		if v, ok := d.Get(name); ok {
			if found == nil {
				found = &pysem.Dict{}
			}
			found.Set(name, v)
		}
	}
	return found
}

// FailureFields reads {"type","message"}; ok is false for anything else.
func FailureFields(v any) (typ, message string, ok bool) {
	d, isDict := v.(*pysem.Dict)
	if !isDict || len(d.Items) != 2 {
		return "", "", false
	}
	t, _ := d.Get("type")
	m, _ := d.Get("message")
	typ, okType := t.(string)
	message, okMessage := m.(string)
	return typ, message, okType && okMessage
}

// set writes the answer into an object. The protocol has no form for a broken answer, and
// "skipped" would be wrong, so it is written as an error of a type that Python does not have.
func (a Answer) set(d *pysem.Dict) {
	switch a.Kind {
	case Returned:
		d.Set("out", a.Out)
	case Raised:
		d.Set("error", FailureObject(a.Type, a.Message))
	case Skipped:
		d.Set("skipped", a.Why)
	case Broken:
		d.Set("error", FailureObject(BrokenType, a.Why))
	}
	if a.Beside != nil {
		for _, item := range a.Beside.Items {
			d.Set(item.Key, item.Value)
		}
	}
}

// BrokenType is the error type of an answer that a testee failed to give.
const BrokenType = "TesteeBroken"

// BadCaseType is the error type of a case that breaks the protocol.
const BadCaseType = "BadCase"

// FailureObject makes {"type","message"}, the form of a Python exception in answers.
func FailureObject(typ, message string) *pysem.Dict {
	d := &pysem.Dict{}
	d.Set("type", typ)
	d.Set("message", message)
	return d
}

// Line returns the answer to the case of that id, without the line's end.
func (a Answer) Line(id string) string {
	d := &pysem.Dict{}
	d.Set("id", id)
	a.set(d)
	return string(pysem.AppendJSON(nil, d))
}

func (a Answer) String() string {
	d := &pysem.Dict{}
	a.set(d)
	return string(pysem.AppendJSON(nil, d))
}
