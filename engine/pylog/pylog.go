// Package pylog formats what agents and training jobs log as Python formats it: exceptions, events,
// the arguments of a message. Every log line has the level and the text of the reference's.
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
	"math/big"
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

// Text returns Python's str(e) of the exception for err.
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

// Repr returns Python's repr(e) of the exception for err.
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

// rpcText returns Python's repr of an error of grpcio, which is also its str
// (grpc/_channel.py:836).
func rpcText(err *env.RPCError) string {
	return fmt.Sprintf("<_InactiveRpcError of RPC that terminated with:\n\tstatus = StatusCode.%s\n\tdetails = %q\n\tdebug_error_string = \"None\"\n>",
		err.Code, err.Message)
}

// fileFailureOf returns Python's OSError for an error of the file system, and the path that it is
// about.
func fileFailureOf(err error) (f pyos.Failure, about string, ok bool) {
	var path *fs.PathError
	if !errors.As(err, &path) {
		return f, "", false
	}
	f, ok = pyos.FailureOf(path)
	return f, path.Path, ok
}

// messageOf returns the text of an error. If the text begins with the name of a Python class, that
// name is removed.
func messageOf(err error) string {
	if name, rest, ok := strings.Cut(err.Error(), ": "); ok && isClassName(name) {
		return rest
	}
	return err.Error()
}

func isClassName(s string) bool {
	return strings.HasSuffix(s, "Error") && !strings.ContainsAny(s, " ./")
}

// Later is a text in a log line that is computed only if the line is written.
type Later func() string

func (l Later) String() string { return l() }

// Event returns Python's repr of a watch event, "None" for nil (kazoo/protocol/states.py).
func Event(e *env.WatchEvent) Later {
	return func() string {
		if e == nil {
			return "None"
		}
		return fmt.Sprintf("WatchedEvent(type=%s, state='CONNECTED', path=%s)", pysem.Repr(e.Type.String()), pysem.Repr(e.Path))
	}
}

// Bytes returns Python's repr of bytes, "None" for nil.
func Bytes(data []byte) Later {
	return func() string {
		if data == nil {
			return "None"
		}
		return pysem.Repr(data)
	}
}

// Message returns Python's str of a protobuf message, with characters beyond ASCII unescaped.
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

// Popen returns Python's repr of a running process (subprocess.py:1097 of Python 3.11).
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

// Strings returns Python's repr of a list of strings.
func Strings(list []string) Later {
	return func() string {
		return pysem.Repr(lists.Map(list, func(s string) any { return s }))
	}
}

// Ints returns Python's repr of a set of ints. The caller passes the ints in the order in which
// Python iterates over the set.
func Ints(keys []*big.Int) Later {
	return func() string {
		if len(keys) == 0 {
			return "set()"
		}
		return "{" + strings.Join(lists.Map(keys, (*big.Int).String), ", ") + "}"
	}
}

// Seldom limits a log line to once in a period, as absl's log_every_n_seconds does. The zero value
// writes the first line.
type Seldom struct {
	said bool
	at   time.Duration
}

// Due reports whether to write the line now. It is true at the first call, and once the period has
// passed since the last line.
func (s *Seldom) Due(clock env.Clock, period time.Duration) bool {
	now := clock.Elapsed()
	if s.said && now-s.at < period {
		return false
	}
	s.said, s.at = true, now
	return true
}

// Traceback returns the text of Python's traceback.format_exc() for err, without the stack frames.
func Traceback(err error) Later {
	return func() string {
		text := Text(err)
		if text != "" {
			text = ": " + text
		}
		return "Traceback (most recent call last):\n  <frames>\n" + qualified(err) + text + "\n"
	}
}

// Uncaught begins the text that Python prints when an exception ends a thread. Python prints it to
// stderr. Here it goes into the log, where readers look for it.
const Uncaught = "Exception in thread "
