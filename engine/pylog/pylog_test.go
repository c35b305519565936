package pylog_test

import (
	"errors"
	"io/fs"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
)

func fileError(text string) error {
	return &fs.PathError{Op: "open", Path: "/x", Err: errors.New(text)}
}

// Goal: log lines show an exception as Python does. The expected values were recorded from Python
// 3.11: repr(type(e)), str(e) and repr(e) of OSError(errno, os.strerror(errno), "/x") and of other
// exceptions.
func TestErrorsAreWrittenAsPythonsExceptions(t *testing.T) {
	for _, test := range []struct {
		err               error
		class, text, repr string
	}{
		{&fs.PathError{Op: "open", Path: "/x", Err: fs.ErrNotExist}, "FileNotFoundError", "[Errno 2] No such file or directory: '/x'", "FileNotFoundError(2, 'No such file or directory')"},
		{fileError("permission denied"), "PermissionError", "[Errno 13] Permission denied: '/x'", "PermissionError(13, 'Permission denied')"},
		{&fs.PathError{Op: "open", Path: "/x", Err: fs.ErrExist}, "FileExistsError", "[Errno 17] File exists: '/x'", "FileExistsError(17, 'File exists')"},
		{fileError("not a directory"), "NotADirectoryError", "[Errno 20] Not a directory: '/x'", "NotADirectoryError(20, 'Not a directory')"},
		{fileError("is a directory"), "IsADirectoryError", "[Errno 21] Is a directory: '/x'", "IsADirectoryError(21, 'Is a directory')"},
		{fileError("directory not empty"), "OSError", "[Errno 39] Directory not empty: '/x'", "OSError(39, 'Directory not empty')"},
		{fileError("too many levels of symbolic links"), "OSError", "[Errno 40] Too many levels of symbolic links: '/x'", "OSError(40, 'Too many levels of symbolic links')"},
		{&pysem.Error{Type: "AssertionError"}, "AssertionError", "", "AssertionError()"},
		{pysem.Raise("ValueError", "bad"), "ValueError", "bad", "ValueError('bad')"},
		{pysem.Raise("KeyError", "%s", pysem.Repr("it's")), "KeyError", `"it's"`, `KeyError("it's")`},
		{zkerrors.ErrNoNode, "kazoo.exceptions.NoNodeError", "", "NoNodeError()"},
	} {
		if got := pylog.Class(test.err); got != "<class '"+test.class+"'>" {
			t.Errorf("class of %v: got %s, want %s", test.err, got, test.class)
		}
		if got := pylog.Text(test.err); got != test.text {
			t.Errorf("str of %v: got %q, want %q", test.err, got, test.text)
		}
		if got := pylog.Repr(test.err); got != test.repr {
			t.Errorf("repr of %v: got %q, want %q", test.err, got, test.repr)
		}
	}
}

// Goal: an error without a Python class is shown as an Exception with its whole text. An error
// whose text begins with a class name has that class. A failed call has the class of grpcio
// (grpc/_channel.py:836).
func TestAnErrorsTextTellsItsClass(t *testing.T) {
	for _, test := range []struct {
		err               error
		class, text, repr string
	}{
		{errors.New("ValueError: bad"), "ValueError", "bad", "ValueError('bad')"},
		{errors.New("something"), "Exception", "something", "Exception('something')"},
		{errors.New("start: something"), "Exception", "start: something", "Exception('start: something')"},
		{errors.New("an Error: something"), "Exception", "an Error: something", "Exception('an Error: something')"},
		{errors.New("TimeoutError"), "Exception", "TimeoutError", "Exception('TimeoutError')"},
	} {
		if got := pylog.ClassName(test.err); got != test.class {
			t.Errorf("class of %v: got %s, want %s", test.err, got, test.class)
		}
		if got := pylog.Text(test.err); got != test.text {
			t.Errorf("str of %v: got %q, want %q", test.err, got, test.text)
		}
		if got := pylog.Repr(test.err); got != test.repr {
			t.Errorf("repr of %v: got %q, want %q", test.err, got, test.repr)
		}
	}
	if got := pylog.Class(&env.RPCError{Code: rpcerrors.Unavailable}); got != "<class 'grpc._channel._InactiveRpcError'>" {
		t.Errorf("class of a call that failed: got %s", got)
	}
}

// Goal: a message's text keeps characters beyond ASCII, and escapes bytes that are not UTF-8. The
// expected values are str(message) of protobuf 4.21 for Python.
func TestMessagesKeepCharactersBeyondASCII(t *testing.T) {
	for _, test := range []struct {
		message proto.Message
		want    string
	}{
		{wrapperspb.String("é"), "value: \"é\"\n"},
		{wrapperspb.String("\n\"é中"), "value: \"\\n\\\"é中\"\n"},
		{wrapperspb.Bytes([]byte{0xff}), "value: \"\\377\"\n"},
	} {
		if got := pylog.Message(test.message).String(); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
