package pysem

import (
	"errors"
	"fmt"
)

// Error is a Python exception. Type is the name of its class without the module, and Message is its
// str().
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

// Is reports whether target is an Error of the same type and message. A target without a message
// matches any message. errors.Is calls it.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Type == e.Type && (t.Message == "" || t.Message == e.Message)
}

// Raise makes an Error of a type with a formatted message.
func Raise(typ, format string, args ...any) *Error {
	return &Error{Type: typ, Message: fmt.Sprintf(format, args...)}
}

// TypeOf returns the name of the Python class of err, or "" if err is not an [Error].
func TypeOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Type
	}
	return ""
}

// AttributeError returns the error that Python raises when v does not have the attribute.
func AttributeError(v any, attribute string) *Error {
	return Raise("AttributeError", "'%s' object has no attribute '%s'", TypeName(v), attribute)
}

// UnpackError returns the error that Python raises when a sequence of got items is assigned to n
// names.
func UnpackError(n, got int) *Error {
	if got > n {
		return Raise("ValueError", "too many values to unpack (expected %d)", n)
	}
	return Raise("ValueError", "not enough values to unpack (expected %d, got %d)", n, got)
}
