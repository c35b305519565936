package admin_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/serve/admin"
	"github.com/monosim/monosim/sim/consul/serve"
)

// Goal: clients of a served Consul agent meet the faults that the admin interface was asked for.
// Method: HTTP requests to both.

type consulLab struct {
	*testing.T
	server *serve.Server
	admin  *admin.Server
}

func newConsulLab(t *testing.T) *consulLab {
	t.Helper()
	server, err := serve.Listen("127.0.0.1:0", 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return &consulLab{T: t, server: server, admin: listen(t, admin.Consul(server)...)}
}

// lookUp looks up the name "job" at the Consul agent, and returns the answer that a client gets.
func (l *consulLab) lookUp() string {
	l.Helper()
	response, err := http.Get("http://" + l.server.Addr() + "/v1/lookup/name?name=job")
	if err != nil {
		l.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err.Error()
	}
	return response.Status + " " + string(body)
}

// after asks for a fault, and then compares a client's lookup with want.
func (l *consulLab) after(path, body, want string) {
	l.Helper()
	if status, answer := ask(l.T, "POST", l.admin.URL()+path, body); status != http.StatusOK {
		l.Fatalf("%s: got %d %s", path, status, answer)
	}
	if got := l.lookUp(); got != want {
		l.Errorf("after %s %s: got %q, want %q", path, body, got, want)
	}
}

func TestConsulFaults(t *testing.T) {
	l := newConsulLab(t)
	const one = `200 OK [{"Host":"127.0.0.1","Port":1,"Tags":{}}]`
	register := func() {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "PUT", "http://"+l.server.Addr()+"/v1/agent/service/register",
			strings.NewReader(`{"id": "job-1", "name": "job", "port": 1}`))
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
	}
	register()
	l.after("/status", `{"status": 503, "text": "no leader"}`, "503 Service Unavailable no leader")
	l.after("/heal", "", one)
	l.after("/text", `{"text": "<html>"}`, "200 OK <html>")
	l.after("/heal", "", one)
	l.after("/cut", "", "unexpected EOF")
	l.after("/heal", "", one)
	l.after("/lag", `{"lag": "1h"}`, "200 OK []")
	l.after("/lag", `{"lag": "0s"}`, one)
	l.after("/hide", `{"what": "job-1"}`, "200 OK []")
	l.after("/heal", "", one)
	l.after("/delay", `{"delay": "1ms"}`, one)
	if status, state := ask(t, "GET", l.admin.URL()+"/state", ""); status != http.StatusOK || !strings.Contains(state, `"delay":"1ms"`) || !strings.Contains(state, `"listed":true`) {
		t.Errorf("got %d %s, want the delay and the service", status, state)
	}
	l.after("/forget", "", "200 OK []")
	for path, body := range map[string]string{"/hide": `{}`, "/status": `{"status": 7}`, "/delay": `{"delay": "-1s"}`} {
		if status, answer := ask(t, "POST", l.admin.URL()+path, body); status != http.StatusBadRequest {
			t.Errorf("%s %s: got %d %s, want 400", path, body, status, answer)
		}
	}
}
