// Package zkerrors has the errors of ZooKeeper's operations: the protocol's codes,
// those that only clients raise, and the error that carries one with its path.
//
// Two things to use first:
//
//   - [Error] is a failed operation, with its [Code] and path.
//   - [ErrNoNode] and the other Err values are to compare with, by errors.Is.
//
// A new code is one line among the codes and one in kazooNames, both in zkerrors.go.
package zkerrors

import "fmt"

// Code is an error code of the protocol, or a negative number below
// -1000 for errors that only clients raise.
type Code int32

// The codes in use. Names on the right are kazoo's exceptions.
const (
	RuntimeInconsistency   Code = -2    // RuntimeInconsistency
	ConnectionLoss         Code = -4    // ConnectionLoss
	MarshallingError       Code = -5    // MarshallingError
	Unimplemented          Code = -6    // UnimplementedError
	OperationTimeout       Code = -7    // OperationTimeoutError
	BadArguments           Code = -8    // BadArgumentsError
	NoNode                 Code = -101  // NoNodeError
	NoAuth                 Code = -102  // NoAuthError
	BadVersion             Code = -103  // BadVersionError
	NoChildrenForEphemeral Code = -108  // NoChildrenForEphemeralsError
	NodeExists             Code = -110  // NodeExistsError
	NotEmpty               Code = -111  // NotEmptyError
	SessionExpired         Code = -112  // SessionExpiredError
	InvalidACL             Code = -114  // InvalidACLError
	AuthFailed             Code = -115  // AuthFailedError
	NotReadOnly            Code = -119  // NotReadOnlyCallError
	ConnectionClosed       Code = -1001 // ConnectionClosedError
	RetryFailed            Code = -1002 // RetryFailedError
	Cancelled              Code = -1003 // CancelledError
	LockTimeout            Code = -1004 // LockTimeout
	ForceRetry             Code = -1005 // ForceRetryError
	ConnectionTimeout      Code = -1006 // the handler's timeout_exception
)

// kazooNames holds the exceptions without their module.
var kazooNames = map[Code]string{
	RuntimeInconsistency: "RuntimeInconsistency", ConnectionLoss: "ConnectionLoss",
	MarshallingError: "MarshallingError", Unimplemented: "UnimplementedError",
	OperationTimeout: "OperationTimeoutError", BadArguments: "BadArgumentsError",
	NoNode: "NoNodeError", NoAuth: "NoAuthError", BadVersion: "BadVersionError",
	NoChildrenForEphemeral: "NoChildrenForEphemeralsError", NodeExists: "NodeExistsError",
	NotEmpty: "NotEmptyError", SessionExpired: "SessionExpiredError",
	InvalidACL: "InvalidACLError", AuthFailed: "AuthFailedError",
	NotReadOnly: "NotReadOnlyCallError", ConnectionClosed: "ConnectionClosedError",
	RetryFailed: "RetryFailedError", Cancelled: "CancelledError",
	LockTimeout: "LockTimeout", ForceRetry: "ForceRetryError",
	ConnectionTimeout: "KazooTimeoutError",
}

func (c Code) String() string {
	if name, ok := kazooNames[c]; ok {
		return name
	}
	return fmt.Sprintf("ZooKeeperCode(%d)", int32(c))
}

// Error is a failed operation. Compare with errors.Is against the Err
// values below, which match by code whatever the path.
type Error struct {
	Code Code
	Path string
	// Text is what Python's str says of the exception: nothing of those that a real
	// server's answers raise.
	Text string
}

func (e *Error) Error() string {
	if e.Path == "" {
		return e.Code.String()
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Path)
}

// Is matches another Error by its code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// Errors to compare with.
var (
	ErrNoNode           = &Error{Code: NoNode}
	ErrNodeExists       = &Error{Code: NodeExists}
	ErrNotEmpty         = &Error{Code: NotEmpty}
	ErrBadVersion       = &Error{Code: BadVersion}
	ErrConnectionLoss   = &Error{Code: ConnectionLoss}
	ErrConnectionClosed = &Error{Code: ConnectionClosed}
	ErrSessionExpired   = &Error{Code: SessionExpired}
	ErrCancelled        = &Error{Code: Cancelled}
	ErrForceRetry       = &Error{Code: ForceRetry}
	ErrRetryFailed      = &Error{Code: RetryFailed}
	ErrOperationTimeout = &Error{Code: OperationTimeout}
)
