package conformance

import (
	"slices"
	"strings"
)

// messageTypes are the exceptions whose message is compared always: the
// reference words them, or a stub of the protocol.
var messageTypes = []string{
	"NoNodeError", "NodeExistsError", "NotEmptyError", "NotImplementedError", "AssertionError", "RuntimeError", "Exception",
}

// comparesMessage is rule 5 of the comparison. Of what Python itself evaluates every
// message counts but those of the parser, which CPython words by where it gives up.
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
	// Message is a string, or canonLoose where it does not count.
	Message any
}

func canonicalFailure(op, typ, message string) canonFailure {
	if comparesMessage(op, typ, message) {
		return canonFailure{Type: typ, Message: message}
	}
	return canonFailure{Type: typ, Message: canonLoose(message)}
}

// comparesDetails is rule 6: the details of a failed call count only where they
// are the reference's own.
func comparesDetails(details string) bool {
	return details == "Barrier is placed already." || strings.HasPrefix(details, "Exception calling application: not implement for agent v")
}
