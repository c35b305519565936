package serve

import (
	"bufio"
	"encoding/json"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/sim/tfserving"
)

// recorded is a sequence of bytes and how two releases of libevent reacted to it
// (testdata/README.md).
type recorded struct {
	Sent     string
	Old, New reaction
}

type reaction struct {
	Answer string
	Closed bool
}

// Goal: the server answers arbitrary bytes and closes connections exactly as libevent does. Method:
// recorded request lines, versions, headers, bodies, chunks, expectations, methods, tunnels,
// requests to proxies, and several requests on one connection.
func TestRecordedHTTP(t *testing.T) {
	old, latest := newLab(t), newLab(t)
	old.serve(tfserving.Profile24, withREST)
	latest.serve(tfserving.ProfileHead, withREST)
	count := 0
	for _, one := range readRecorded(t) {
		count++
		old.compare(one.Sent, one.Old)
		latest.compare(one.Sent, one.New)
	}
	if count < 350 {
		t.Errorf("%d cases, want at least 350", count)
	}
}

func readRecorded(t *testing.T) (all []recorded) {
	t.Helper()
	file, err := os.Open("testdata/http.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var one recorded
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
}

func (l *lab) compare(sent string, want reaction) {
	l.Helper()
	conn := &scriptedConn{in: strings.NewReader(asBytes(sent))}
	l.s.http.serve(conn)
	got := reaction{dateLine.ReplaceAllString(conn.out.String(), "Date: D\r\n"), !conn.waited}
	want.Answer = asBytes(want.Answer)
	if diff := cmp.Diff(want, got); diff != "" {
		l.Errorf("%v, answer to %q (-libevent +ours):\n%s", l.s.opt.Machine.Profile, sent, diff)
	}
}

// asBytes decodes a recorded text, in which each character stands for one byte.
func asBytes(text string) string {
	data := make([]byte, 0, len(text))
	for _, r := range text {
		data = append(data, byte(r))
	}
	return string(data)
}

// scriptedConn is a connection whose client has already sent everything and then waits.
type scriptedConn struct {
	net.Conn
	in     *strings.Reader
	out    strings.Builder
	waited bool // whether the server waits for more input
}

func (c *scriptedConn) Read(p []byte) (int, error) {
	c.waited = c.waited || c.in.Len() == 0
	return c.in.Read(p)
}

func (c *scriptedConn) Write(p []byte) (int, error) { return c.out.Write(p) }
func (c *scriptedConn) Close() error                { return nil }
