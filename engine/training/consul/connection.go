package consul

import (
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/httperrors"
	"github.com/monosim/monosim/engine/pysem"
)

// connection behaves like Python's http.client.HTTPConnection. It refuses a request until the
// previous one has been answered.
type connection struct {
	e     *env.Env
	conn  env.HTTPConn
	state connectionState
	// unread is true if the last answer's body was not read completely.
	unread bool
}

// connectionState is a state of http.client. The values are the texts in http.client's exceptions.
type connectionState string

const (
	idle    connectionState = "Idle"
	started connectionState = "Request-started"
	sent    connectionState = "Request-sent"
)

func newConnection(e *env.Env, addr string, timeout time.Duration) *connection {
	return &connection{e: e, conn: e.Network.DialHTTP(addr, timeout), state: idle}
}

// request sends a request. If that fails, the connection stays in the started state, and the next
// request raises a CannotSendRequest until the connection is closed.
func (c *connection) request(method, target string, body []byte) error {
	if c.state != idle {
		return pysem.Raise("CannotSendRequest", "%s", c.state)
	}
	c.state = started
	if err := checkURL(target); err != nil {
		return err
	}
	if i := strings.IndexFunc(target, func(r rune) bool { return r >= utf8.RuneSelf }); i >= 0 {
		return pysem.Raise("UnicodeEncodeError", "'ascii' codec can't encode character in position %d: ordinal not in range(128)", len(method)+1+i)
	}
	c.state = sent
	return c.raised(c.conn.Request(method, target, body))
}

// checkURL rejects the characters that http.client does not allow in hosts and targets.
func checkURL(part string) error {
	i := strings.IndexFunc(part, func(r rune) bool { return r <= ' ' || r == 0x7f })
	if i < 0 {
		return nil
	}
	return pysem.Raise("InvalidURL", "URL can't contain control characters. %s (found at least %s)", pysem.Repr(part), pysem.Repr(part[i:i+1]))
}

// response waits for the answer's status. If the other side has closed the connection, response
// closes it here too, so that the next request connects again. After a timeout it stays open.
func (c *connection) response() (status int, err error) {
	if c.state != sent || c.unread {
		return 0, pysem.Raise("ResponseNotReady", "%s", c.state)
	}
	status, err = c.conn.Status()
	if err != nil {
		if ended(err) {
			c.close()
		}
		return 0, c.raised(err)
	}
	c.state, c.unread = idle, true
	return status, nil
}

func (c *connection) read() ([]byte, error) {
	body, err := c.conn.Body()
	c.unread = err != nil && !errors.Is(err, httperrors.Incomplete)
	return body, c.raised(err)
}

// exchange sends a request and returns its answer.
func (c *connection) exchange(method, target string, body []byte) (status int, answer []byte, err error) {
	if err = c.request(method, target, body); err != nil {
		return 0, nil, err
	}
	if status, err = c.response(); err != nil {
		return 0, nil, err
	}
	answer, err = c.read()
	return status, answer, err
}

func (c *connection) close() {
	c.conn.Close()
	c.state, c.unread = idle, false
}

// ended reports whether an error is one of Python's ConnectionErrors.
func ended(err error) bool {
	kinds := []error{httperrors.Refused, httperrors.Reset, httperrors.BrokenPipe, httperrors.Disconnected}
	return slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(err, kind) })
}

// raised converts a network error to Python's exception.
func (c *connection) raised(err error) error {
	if err == nil {
		return nil
	}
	timeout := "TimeoutError"
	if c.e.Python.Before(10) {
		timeout = "timeout" // socket.timeout, which was a class of its own before Python 3.10
	}
	for _, kind := range []struct {
		err      error
		typ, say string
	}{
		{httperrors.Refused, "ConnectionRefusedError", "[Errno 111] Connection refused"},
		{httperrors.TimedOut, timeout, "timed out"},
		{httperrors.NoSuchName, "gaierror", "[Errno -2] Name or service not known"},
		{httperrors.NoSuchFile, "FileNotFoundError", "[Errno 2] No such file or directory"},
		{httperrors.Reset, "ConnectionResetError", "[Errno 104] Connection reset by peer"},
		{httperrors.BrokenPipe, "BrokenPipeError", "[Errno 32] Broken pipe"},
		{httperrors.Disconnected, "RemoteDisconnected", "Remote end closed connection without response"},
		{httperrors.Malformed, "BadStatusLine", "malformed status line"},
		{httperrors.Incomplete, "IncompleteRead", "IncompleteRead"},
	} {
		if errors.Is(err, kind.err) {
			return pysem.Raise(kind.typ, "%s", kind.say)
		}
	}
	return pysem.Raise("OSError", "%v", err)
}
