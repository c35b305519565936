package serve

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/sim/tfserving"
)

func (l *lab) restAddr() string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(l.s.Ports().REST))
}

func withREST(o *Options) { o.Machine.RESTAPIPort = 8501 }

var dateLine = regexp.MustCompile(`Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n`)

// exchange sends bytes on a new connection and returns everything received until the server closes.
// It removes the date.
func (l *lab) exchange(sent string) string {
	l.Helper()
	conn, err := net.Dial("tcp", l.restAddr())
	l.must(err)
	defer conn.Close()
	l.must(conn.SetDeadline(time.Now().Add(patience)))
	_, err = io.WriteString(conn, sent)
	l.must(err)
	got, err := io.ReadAll(conn)
	l.must(err)
	return dateLine.ReplaceAllString(string(got), "Date: D\r\n")
}

// crlf replaces line feeds by CR LF, as HTTP headers need.
func crlf(lines string) string { return strings.ReplaceAll(lines, "\n", "\r\n") }

// Goal: long error messages are cut off in gRPC but complete in REST (TFS-8.1).
func TestRESTErrorsAreWhole(t *testing.T) {
	l := newLab(t)
	l.serve(tfserving.Profile24, withREST)
	long := strings.Repeat("m", 1100)
	got := l.exchange(crlf("GET /v1/models/" + long + " HTTP/1.0\n\n"))
	if want := `"Could not find any versions of model ` + long + `"`; !strings.Contains(got, want) {
		t.Errorf("no %s in\n%s", want, got)
	}
}

// page returns libevent's HTML error page for a status (TFS-13.2).
func page(status string) string {
	_, phrase, _ := strings.Cut(status, " ")
	return "<HTML><HEAD>\n<TITLE>" + status + "</TITLE>\n</HEAD><BODY>\n<H1>" + phrase + "</H1>\n</BODY></HTML>\n"
}

// Goal: one connection serves several requests in sequence, in whatever pieces the bytes arrive.
func TestHTTPOneAfterTheOther(t *testing.T) {
	l := newLab(t)
	l.serve(tfserving.Profile24, withREST)
	get := crlf("GET /v1/models/m HTTP/1.1\n")
	got := l.exchange(get + "\r\n" + get + "Connection: close\r\n\r\n" + get)
	const body = "{\n    \"error\": \"Could not find any versions of model m\"\n}"
	head := "HTTP/1.1 404 Not Found\nContent-Type: application/json\nDate: D\nContent-Length: " + strconv.Itoa(len(body)) + "\n"
	want := crlf(head) + "\r\n" + body + crlf(head+"Connection: close\n\n") + body
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Goal: a client that expects "100 Continue" receives it before it sends the body.
func TestHTTPContinue(t *testing.T) {
	l := newLab(t)
	l.serve(tfserving.Profile24, withREST)
	conn, err := net.Dial("tcp", l.restAddr())
	l.must(err)
	defer conn.Close()
	l.must(conn.SetDeadline(time.Now().Add(patience)))
	_, err = io.WriteString(conn, crlf("POST /v1/x HTTP/1.1\nContent-Length: 3\nExpect: 100-continue\n\n"))
	l.must(err)
	in := bufio.NewReader(conn)
	for _, want := range []string{"HTTP/1.1 100 Continue\r\n", "\r\n"} {
		if got, err := in.ReadString('\n'); got != want {
			t.Fatalf("got %q, %v, want %q", got, err, want)
		}
	}
	_, err = io.WriteString(conn, "abc")
	l.must(err)
	if got, err := in.ReadString('\n'); got != "HTTP/1.1 400 Bad Request\r\n" {
		t.Errorf("got %q, %v, want the answer", got, err)
	}
}

// Goal: the metrics page is at the configured path and at no other path (TFS-14.1).
func TestMetricsPath(t *testing.T) {
	l := newLab(t)
	file := l.path("monitoring")
	l.must(os.WriteFile(file, []byte(`prometheus_config { enable: true path: "/m" }`), 0o644))
	l.serve(tfserving.Profile24, func(o *Options) {
		withREST(o)
		o.Machine.MonitoringConfigFile = file
	})
	tests := []struct {
		path   string
		status int
		body   string
	}{
		{"/m", 200, l.s.meter.page()},
		{"/m?x=1", 400, "Unexpected path: /m?x=1. Should be /m"},
		{"/monitoring/prometheus/metrics", 404, page("404 Not Found")},
	}
	for _, test := range tests {
		response, err := http.Get("http://" + l.restAddr() + test.path)
		l.must(err)
		body, err := io.ReadAll(response.Body)
		l.must(err)
		response.Body.Close()
		if response.StatusCode != test.status || string(body) != test.body {
			t.Errorf("%s: got %d %q\nwant %d %q", test.path, response.StatusCode, body, test.status, test.body)
		}
		if got := response.Header.Get("Content-Type"); test.status != 404 && got != "text/plain" {
			t.Errorf("%s: Content-Type: got %s, want text/plain", test.path, got)
		}
	}
}
