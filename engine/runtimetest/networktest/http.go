package networktest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/httperrors"
)

// HTTPWorld is a world in which the servers' host also runs a plain HTTP server that answers as
// [HTTPAnswer] says.
type HTTPWorld interface {
	World
	// ServeHTTP starts the server and returns its address.
	ServeHTTP() (addr string)
}

// HTTPReply describes the server's answer to a request.
type HTTPReply struct {
	Status int
	Body   string
	// Cut closes the connection in the middle of the body, HangUp closes it before the answer.
	Cut, HangUp bool
	// Never sends no answer but keeps the connection open.
	Never bool
}

// HTTPAnswer returns the server's reply to a request.
func HTTPAnswer(method, target, body string) HTTPReply {
	switch {
	case strings.HasPrefix(target, "/cut"):
		return HTTPReply{Status: 200, Body: "four", Cut: true}
	case strings.HasPrefix(target, "/hang-up"):
		return HTTPReply{HangUp: true}
	case strings.HasPrefix(target, "/never"):
		return HTTPReply{Never: true}
	case strings.HasPrefix(target, "/empty"):
		return HTTPReply{Status: 200}
	}
	return HTTPReply{Status: 404, Body: fmt.Sprintf("%s %s %s", method, target, body)}
}

// RunHTTP runs the plain HTTP cases as subtests of t, each in a fresh world.
func RunHTTP(t *testing.T, start func(t *testing.T) HTTPWorld) {
	for _, c := range httpCases {
		t.Run(c.name, func(t *testing.T) {
			w := start(t)
			r := &trial{T: t, World: w}
			addr := w.ServeHTTP()
			r.client(func(p Process) { c.run(r, p, addr) })
			r.want(c.want...)
		})
	}
}

// ask sends a request and logs its result.
func (r *trial) ask(c env.HTTPConn, method, target, body string) {
	if err := c.Request(method, target, []byte(body)); err != nil {
		r.note("request: %s", httpKind(err))
		return
	}
	status, err := c.Status()
	if err != nil {
		r.note("status: %s", httpKind(err))
		return
	}
	answer, err := c.Body()
	if err != nil {
		r.note("%d, body: %s", status, httpKind(err))
		return
	}
	r.note("%d %s", status, answer)
}

// httpKind returns the name of the httperrors kind to which err belongs.
func httpKind(err error) string {
	for _, kind := range []error{
		httperrors.Refused, httperrors.TimedOut, httperrors.NoSuchName, httperrors.NoSuchFile, httperrors.Reset, httperrors.BrokenPipe,
		httperrors.Unreachable, httperrors.Disconnected, httperrors.Malformed, httperrors.Incomplete,
	} {
		if errors.Is(err, kind) {
			return kind.Error()
		}
	}
	return "of no kind: " + err.Error()
}

var httpCases = []struct {
	name string
	run  func(r *trial, p Process, addr string)
	want []string
}{
	{"a connection takes one request after the other", func(r *trial, p Process, addr string) {
		c := p.Network().DialHTTP(addr, 0)
		r.ask(c, "GET", "/a?b=c", "")
		r.ask(c, "PUT", "/d", `{"e": 1}`)
		r.ask(c, "GET", "/empty", "")
		c.Close()
		r.ask(c, "GET", "/again", "")
		c.Close()
	}, []string{"404 GET /a?b=c ", `404 PUT /d {"e": 1}`, "200 ", "404 GET /again "}},

	{"an answer that is torn is told after its status, and the next request finds the connection ended", func(r *trial, p Process, addr string) {
		c := p.Network().DialHTTP(addr, patience)
		r.ask(c, "GET", "/cut", "")
		p.Sleep(100 * ms) // time for the end of the connection to arrive
		if err := c.Request("GET", "/a", nil); err != nil {
			r.Errorf("a request on a connection that the other side has ended: %v, want none", err)
		}
		if _, err := c.Status(); err == nil || httpKind(err) != httperrors.Disconnected.Error() && httpKind(err) != httperrors.Reset.Error() {
			r.Errorf("its status: %v, want that the connection has ended", err)
		}
		c.Close()
		r.ask(c, "GET", "/a", "")
		c.Close()
	}, []string{"200, body: incomplete body", "404 GET /a "}},

	{"a server that hangs up", func(r *trial, p Process, addr string) {
		c := p.Network().DialHTTP(addr, patience)
		r.ask(c, "GET", "/hang-up", "")
		c.Close()
		r.ask(c, "GET", "/a", "")
		c.Close()
	}, []string{"status: remote end closed connection without response", "404 GET /a "}},

	{"a server that does not answer in time", func(r *trial, p Process, addr string) {
		c := p.Network().DialHTTP(addr, 50*ms)
		began := p.Elapsed()
		r.ask(c, "GET", "/never", "")
		if took := p.Elapsed() - began; took < 50*ms || took > 20*time.Second {
			r.Errorf("took %v, want 50ms", took)
		}
		c.Close()
	}, []string{"status: timed out"}},

	{"nobody listens", func(r *trial, p Process, _ string) {
		r.ask(p.Network().DialHTTP(r.Addr(1), patience), "GET", "/a", "")
	}, []string{"request: connection refused"}},

	{"a name that nobody has, and a socket that is not there", func(r *trial, p Process, _ string) {
		r.ask(p.Network().DialHTTP("no-such-host.invalid:80", patience), "GET", "/a", "")
		r.ask(p.Network().DialHTTP("/no/such/socket", patience), "GET", "/a", "")
	}, []string{"request: name or service not known", "request: no such file or directory"}},

	{"a task that ends while it waits takes its connection along", func(r *trial, p Process, addr string) {
		other := r.NewClient("other")
		other.Go("main", func() { r.ask(other.Network().DialHTTP(addr, 0), "GET", "/never", "") })
		p.Sleep(50 * ms)
		other.Crash()
		r.ask(p.Network().DialHTTP(addr, patience), "GET", "/a", "")
	}, []string{"404 GET /a "}},
}
