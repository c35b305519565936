// Package pylog formats what agents log as Python formats it: exceptions, events, the arguments of
// a message. Every log line of an agent has the level and the text of the reference's.
//
// Two things to use first:
//
//   - [Text], [Repr] and [Class] are str(e), repr(e) and repr(type(e)) of an error.
//   - [Event] and [Strings] are the reprs of a watched event and of a list.
//
// To change:
//
//   - the Python class of an error: class.go
//   - its text, and everything else: pylog.go
//
// Unstable: any commit may change it.
package pylog

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/pyos"
)

// Text returns str(e) of the exception that err stands for.
func Text(err error) string {
	var python *pysem.Error
	var zk *zkerrors.Error
	var rpc *env.RPCError
	switch {
	case errors.As(err, &python):
		return python.Message
	case errors.As(err, &zk):
		return zk.Text
	case errors.As(err, &rpc):
		return rpcText(rpc)
	}
	if f, about, ok := fileFailureOf(err); ok {
		return f.About(about).Message
	}
	return messageOf(err)
}

// Repr returns repr(e) of the exception that err stands for.
func Repr(err error) string {
	name := ClassName(err)
	var python *pysem.Error
	var rpc *env.RPCError
	f, _, isFile := fileFailureOf(err)
	switch {
	case errors.As(err, &rpc):
		return rpcText(rpc)
	case isFile:
		return fmt.Sprintf("%s(%d, %s)", name, f.Errno, pysem.Repr(f.Words))
	case errors.As(err, &python) && python.Type == "KeyError":
		return name + "(" + python.Message + ")" // a KeyError's text is the repr of the key already
	}
	text := Text(err)
	if text == "" {
		return name + "()"
	}
	return name + "(" + pysem.Repr(text) + ")"
}

// rpcText returns the repr of grpcio's error, which is also its str (grpc/_channel.py:836).
func rpcText(err *env.RPCError) string {
	return fmt.Sprintf("<_InactiveRpcError of RPC that terminated with:\n\tstatus = StatusCode.%s\n\tdetails = %q\n\tdebug_error_string = \"None\"\n>",
		err.Code, err.Message)
}

// fileFailureOf returns the OSError for an error of the files, and the path it is about.
func fileFailureOf(err error) (f pyos.Failure, about string, ok bool) {
	var path *fs.PathError
	if !errors.As(err, &path) {
		return f, "", false
	}
	f, ok = pyos.FailureOf(path)
	return f, path.Path, ok
}

// messageOf returns the text of an error without the Python class that it begins with.
func messageOf(err error) string {
	if name, rest, ok := strings.Cut(err.Error(), ": "); ok && isClassName(name) {
		return rest
	}
	return err.Error()
}

func isClassName(s string) bool {
	return strings.HasSuffix(s, "Error") && !strings.ContainsAny(s, " ./")
}

// Later is a text that is computed only if the line is written.
type Later func() string

func (l Later) String() string { return l() }

// Event returns the repr of a watched event, "None" for nil (kazoo/protocol/states.py).
func Event(e *env.WatchEvent) Later {
	return func() string {
		if e == nil {
			return "None"
		}
		return fmt.Sprintf("WatchedEvent(type=%s, state='CONNECTED', path=%s)", pysem.Repr(e.Type.String()), pysem.Repr(e.Path))
	}
}

// Bytes returns the repr of bytes, "None" for nil.
func Bytes(data []byte) Later {
	return func() string {
		if data == nil {
			return "None"
		}
		return pysem.Repr(data)
	}
}

// Message returns the str of a protobuf message. Characters beyond ASCII are not escaped.
func Message(m proto.Message) Later {
	return func() string {
		text, err := textpb.Marshal(m)
		if err != nil {
			return err.Error()
		}
		return beyondASCII.ReplaceAllStringFunc(text, func(escapes string) string {
			if plain, err := strconv.Unquote(`"` + escapes + `"`); err == nil && utf8.ValidString(plain) {
				return plain
			}
			return escapes
		})
	}
}

var beyondASCII = regexp.MustCompile(`(\\[23][0-7]{2})+`)

// Popen returns the repr of a running process (subprocess.py:1097 of Python 3.11).
func Popen(args []string) Later {
	return func() string {
		const longest = 80
		text := fmt.Sprintf("<Popen: returncode: None args: %v>", Strings(args))
		if runes := []rune(text); len(runes) > longest {
			text = string(runes[:longest-4]) + "...>"
		}
		return text
	}
}

// Strings returns the repr of a list of strings.
func Strings(list []string) Later {
	return func() string {
		return pysem.Repr(lists.Map(list, func(s string) any { return s }))
	}
}

// Seldom lets a line be written at most once in a period, as absl's log_every_n_seconds does. With
// the zero value the first line is written.
type Seldom struct {
	said bool
	at   time.Duration
}

// Due reports whether to write the line now: whether the last one was written at least period ago.
func (s *Seldom) Due(clock env.Clock, period time.Duration) bool {
	now := clock.Elapsed()
	if s.said && now-s.at < period {
		return false
	}
	s.said, s.at = true, now
	return true
}

// Traceback returns what traceback.format_exc() does for err, without the frames.
func Traceback(err error) Later {
	return func() string {
		text := Text(err)
		if text != "" {
			text = ": " + text
		}
		return "Traceback (most recent call last):\n  <frames>\n" + qualified(err) + text + "\n"
	}
}

// Uncaught begins the text that the interpreter prints for an exception that ends a thread. Python
// prints it to stderr; here it is among the log lines, where a reader finds it.
const Uncaught = "Exception in thread "
