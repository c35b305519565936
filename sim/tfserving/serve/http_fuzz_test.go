package serve

import (
	"strings"
	"testing"

	"github.com/monosim/monosim/sim/tfserving"
)

// FuzzHTTP sends arbitrary bytes to the HTTP port. The process must not panic, and whatever it
// sends must begin like an HTTP response.
func FuzzHTTP(f *testing.F) {
	for _, seed := range []string{
		"GET /v1/models/m HTTP/1.1\r\n\r\n", "POST /v1/models/m:predict HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}",
		"POST /v1/x HTTP/1.0\nTransfer-Encoding: chunked\n\n3\nabc\n0\n\n", "HEAD / HTTP/1.1\r\n\r\n", " \n", "GET  HTTP/1.1\n",
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", "GET http://h:1/x?y#z HTTP/1.9\r\nA:b\r\n c\r\n\r\n",
	} {
		f.Add([]byte(seed))
	}
	l := newLab(f)
	l.serve(tfserving.ProfileHead, withREST)
	f.Fuzz(func(t *testing.T, data []byte) {
		conn := &scriptedConn{in: strings.NewReader(string(data))}
		l.s.http.serve(conn)
		if got := conn.out.String(); got != "" && !strings.HasPrefix(got, "HTTP/") {
			t.Errorf("answer to %q: %q", data, got)
		}
	})
}
