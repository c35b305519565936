package pysem

import (
	"errors"
	"fmt"
)

// Error is a Python exception. Type is the class name without its module, and
// Message is what str() of the exception gives.
type Error struct {
	Type    string
	Message string
}

// Error returns "type: message", or the type alone.
func (e *Error) Error() string {
	if e.Message == "" {
		return e.Type
	}
	return e.Type + ": " + e.Message
}

// Is reports whether target is an Error of the same type and message, for errors.Is. A target
// without a message matches any message.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Type == e.Type && (t.Message == "" || t.Message == e.Message)
}

// Raise makes an Error of a type with a formatted message.
func Raise(typ, format string, args ...any) *Error {
	return &Error{Type: typ, Message: fmt.Sprintf(format, args...)}
}

// TypeOf returns the Python class name of err, or "" when err is not an [Error].
func TypeOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Type
	}
	return ""
}

// AttributeError returns what reading a missing attribute of v raises.
func AttributeError(v any, attribute string) *Error {
	return Raise("AttributeError", "'%s' object has no attribute '%s'", TypeName(v), attribute)
}

// UnpackError returns the error of an assignment to n names from a sequence of got items.
func UnpackError(n, got int) *Error {
	if got > n {
		return Raise("ValueError", "too many values to unpack (expected %d)", n)
	}
	return Raise("ValueError", "not enough values to unpack (expected %d, got %d)", n, got)
}
