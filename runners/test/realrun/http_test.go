package realrun_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/runtimetest/networktest"
	"github.com/monosim/monosim/runners/test/realrun"
)

// Goal: HTTP over real sockets behaves as on the simulated network. Method: the conformance
// cases that the simulated network passes, too.
func TestHTTPConformance(t *testing.T) {
	networktest.RunHTTP(t, func(t *testing.T) networktest.HTTPWorld {
		return &httpWorld{conforming{t: t, w: newWorld(t)}}
	})
}

type httpWorld struct{ conforming }

func (w *httpWorld) ServeHTTP() string {
	ended := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		body, err := io.ReadAll(in.Body)
		if err != nil {
			w.t.Error(err)
		}
		reply := networktest.HTTPAnswer(in.Method, in.RequestURI, string(body))
		switch {
		case reply.Never:
			select {
			case <-in.Context().Done():
			case <-ended:
			}
			return
		case reply.HangUp:
			panic(http.ErrAbortHandler)
		case reply.Cut:
			out.Header().Set("Content-Length", "4")
			out.Write([]byte(reply.Body[:2]))
			http.NewResponseController(out).Flush()
			panic(http.ErrAbortHandler)
		}
		out.WriteHeader(reply.Status)
		out.Write([]byte(reply.Body))
	}))
	w.t.Cleanup(func() {
		close(ended)
		s.Close()
	})
	return s.Listener.Addr().String()
}

// Goal: an answer that is not HTTP gives the right error. Method: a server that sends other
// text.
func TestAnswersThatAreNoHTTP(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.Read(make([]byte, 1<<10))
			conn.Write([]byte("SSH-2.0-OpenSSH_9.2\r\n\r\n"))
			conn.Close()
		}
	}()
	w := newWorld(t)
	p := w.NewProcess("node", "p")
	p.Go("main", func() {
		c := realrun.NewNetwork(p, realrun.Options{}).DialHTTP(l.Addr().String(), limit)
		if err := c.Request("GET", "/", nil); err != nil {
			t.Error(err)
		}
		if _, err := c.Status(); err == nil || !strings.Contains(err.Error(), "malformed answer") {
			t.Errorf("got %v, want a malformed answer", err)
		}
		if _, err := c.Body(); err == nil {
			t.Error("there is a body")
		}
	})
	if err := waitFor(w); err != nil {
		t.Fatal(err)
	}
}
