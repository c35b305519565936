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
	// Broken stands for a missing answer. The testee died, was too late, or wrote something that
	// the protocol does not allow.
	Broken
)

var kindNames = []string{"out", "error", "skipped", "broken"}

func (k Kind) String() string { return enum.Listed(kindNames, k) }

// Answer is the answer to a case.
type Answer struct {
	Kind Kind
	// Out is the value of a Returned answer, in pysem's types.
	Out any
	// Beside holds those fields of a Returned or Raised answer that the list [Beside] names. nil
	// means that it has none.
	Beside *pysem.Dict
	// Type and Message describe the Python exception of a Raised answer.
	Type, Message string
	// Why says why an answer is Skipped or Broken.
	Why string
	// Lack says in a few words, the same for all such cases, what a Broken answer lacks. It may be "".
	Lack string
	// Late means that the answer is Broken because the testee did not answer in time.
	Late bool
}

// brokenf makes an answer of kind Broken that lacks something, with the reason as a format and its
// arguments.
func brokenf(lack, format string, args ...any) Answer {
	return Answer{Kind: Broken, Lack: lack, Why: fmt.Sprintf(format, args...)}
}

// ParseAnswer parses a line into an answer and the id of its case.
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

// AnswerOf converts an object into an answer. The object must have exactly one of the fields out,
// error and skipped. It may have fields that the list [Beside] names. All others are ignored.
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

// FailureFields parses an object {"type","message"}. ok is false for any other value.
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

// set writes the answer into an object. The protocol has no form for a Broken answer, and "skipped"
// would be wrong. So set writes a Broken answer as an error of a type that Python does not have.
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

// BrokenType is the error type that is written if a testee gave no proper answer.
const BrokenType = "TesteeBroken"

// BadCaseType is the type of the error that answers a case which breaks the protocol.
const BadCaseType = "BadCase"

// FailureObject makes an object {"type","message"}, by which answers show a Python exception.
func FailureObject(typ, message string) *pysem.Dict {
	d := &pysem.Dict{}
	d.Set("type", typ)
	d.Set("message", message)
	return d
}

// Line returns the answer to the case with an id, as a line of JSON without a line break.
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
