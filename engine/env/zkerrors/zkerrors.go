// Package zkerrors has the errors of ZooKeeper's operations: the codes of the protocol, those that
// only clients have, and the error that combines a code with a path.
//
//   - [Error] is a failed operation, with its [Code] and path.
//   - [ErrNoNode] and the other Err values are to be tested for with errors.Is.
//
// Unstable: any commit may change it.
package zkerrors

import "fmt"

// Code is an error code of the ZooKeeper protocol. A number below -1000 is an error that exists
// only in clients.
type Code int32

// These are the codes in use. The comments name kazoo's exceptions for them.
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

// kazooNames maps codes to the names of kazoo's exceptions, without the module.
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

// Error is a failed operation. To test for a kind of error, call errors.Is with one of the Err
// values below. It compares codes and ignores paths.
type Error struct {
	Code Code
	Path string
	// Text is Python's str of the exception. It is "" if the exception represents an answer of the
	// server.
	Text string
}

func (e *Error) Error() string {
	if e.Path == "" {
		return e.Code.String()
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Path)
}

// Is reports whether target is an Error with the same code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// These errors are targets for errors.Is.
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
