package caseworld

import (
	"slices"

	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/pysem"
)

// refusals holds the client calls that have to fail, because a step said so. They fail as if the
// connection were lost.
type refusals struct {
	left []refusal
}

// refusal makes calls of one name fail. after is the number of calls that still pass. times is the
// number of calls that fail after these.
type refusal struct {
	call         string
	code         zkerrors.Code
	after, times int
}

// refuse adds a refusal. A step gives its call, error (the name of kazoo's exception), after
// (default 0) and times (default 1).
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

// lowestCode is lower than every error code of zkerrors.
const lowestCode zkerrors.Code = -2000

// refused returns the error of a call that has to fail, or nil. If quiet is set, a step made the
// call itself, and such calls never fail.
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
