package caseworld

import (
	"slices"

	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/pysem"
)

// refusals holds the calls of a client that fail because a step said so, as if the
// connection were lost.
type refusals struct {
	left []refusal
}

// refusal makes some calls of one name fail, after letting some pass.
type refusal struct {
	call         string
	code         zkerrors.Code
	after, times int
}

// refuse adds a refusal from a step's arguments: call, error (the exception of kazoo),
// after (default 0) and times (default 1).
func (r *refusals) refuse(a Arguments) error {
	name := a.Str("error")
	for code := zkerrors.Code(0); code > lowestCode; code-- {
		if code.String() == name {
			r.left = append(r.left, refusal{a.Str("call"), code, a.IntegerOr("after", 0), a.IntegerOr("times", 1)})
			return nil
		}
	}
	return pysem.AttributeError("kazoo.exceptions", name)
}

// lowestCode is below every code of zkerrors.
const lowestCode zkerrors.Code = -2000

// refused returns the error of a call that has to fail, else nil. Calls that a step makes
// itself, and their effects, never fail.
func (r *refusals) refused(call string, quiet bool) error {
	i := slices.IndexFunc(r.left, func(f refusal) bool { return f.call == call })
	if quiet || i < 0 {
		return nil
	}
	f := &r.left[i]
	if f.after > 0 {
		f.after--
		return nil
	}
	code := f.code
	if f.times--; f.times == 0 {
		r.left = slices.Delete(r.left, i, i+1)
	}
	return &zkerrors.Error{Code: code}
}
