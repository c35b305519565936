package conformance

import (
	"slices"
	"strings"
)

// messageTypes lists the exceptions whose message always counts, because the reference itself, or a
// stub of the protocol, writes it.
var messageTypes = []string{
	"NoNodeError", "NodeExistsError", "NotEmptyError", "NotImplementedError", "AssertionError", "RuntimeError", "Exception",
}

// comparesMessage reports whether the message of an exception counts (rule 5 of the comparison). In
// operations on Python itself every message counts, except the parser's messages, which depend on
// where CPython stops.
func comparesMessage(op, typ, message string) bool {
	if strings.HasPrefix(op, "python.") {
		return typ != "SyntaxError"
	}
	if typ != "ValueError" {
		return slices.Contains(messageTypes, typ)
	}
	return strings.HasSuffix(message, " is not allowed!") ||
		strings.HasPrefix(message, "Invalid addr: ") ||
		strings.HasPrefix(message, "Index [") ||
		strings.HasPrefix(message, "Unable to find the monolith base directory.") ||
		slices.Contains([]string{
			"name must be ps/worker", "leader function is not callable", "boom", "callback failed", "leader failed",
		}, message)
}

// canonFailure is an exception.
type canonFailure struct {
	Type string
	// Message is a string, or a canonLoose if the message does not count.
	Message any
}

func canonicalFailure(op, typ, message string) canonFailure {
	if comparesMessage(op, typ, message) {
		return canonFailure{Type: typ, Message: message}
	}
	return canonFailure{Type: typ, Message: canonLoose(message)}
}

// comparesDetails reports whether the details of a failed call count (rule 6 of the comparison).
// They count only if the reference writes them.
func comparesDetails(details string) bool {
	return details == "Barrier is placed already." || strings.HasPrefix(details, "Exception calling application: not implement for agent v")
}
