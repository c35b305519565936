package serve_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/sim/consul"
	"github.com/monosim/monosim/sim/consul/serve"
)

// Goal: a real HTTP client receives the agent's answers, including cut-off and delayed ones.
// Method: requests by net/http.

func listen(t *testing.T, speed float64) *serve.Server {
	t.Helper()
	s, err := serve.Listen("127.0.0.1:0", speed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func ask(t *testing.T, s *serve.Server, method, target, body string) (int, string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+s.Addr()+target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	return response.StatusCode, string(data), err
}

func want(t *testing.T, s *serve.Server, method, target, body string, status int, text string) {
	t.Helper()
	if got, answer, err := ask(t, s, method, target, body); err != nil || got != status || answer != text {
		t.Errorf("%s %s: got %d %q %v, want %d %q", method, target, got, answer, err, status, text)
	}
}

const (
	registration = `{"id": "job-1000", "name": "job", "port": 1000, "check": {"ttl": "60s"}, "tags": ["index:0"]}`
	listed       = `[{"Host":"127.0.0.1","Port":1000,"Tags":{"index":"0"}}]`
	lookup       = "/v1/lookup/name?name=job&addr-family=dual-stack"
)

func TestAServiceIsRegisteredAndListed(t *testing.T) {
	s := listen(t, 1)
	want(t, s, "PUT", "/v1/agent/service/register", registration, 200, "")
	want(t, s, "GET", "/v1/agent/check/pass/service:job-1000", "", 200, "")
	want(t, s, "GET", lookup, "", 200, listed)
	if got := s.Services(); len(got) != 1 || !got[0].Listed {
		t.Errorf("got %+v, want the service listed", got)
	}
	want(t, s, "PUT", "/v1/agent/service/deregister/job-1000", "", 200, "")
	want(t, s, "GET", lookup, "", 200, "[]")
	want(t, s, "PUT", "/v1/agent/service/register", registration, 200, "")
	s.Forget()
	want(t, s, "GET", "/v1/agent/check/pass/service:job-1000", "", 500, `CheckID "service:job-1000" does not have associated TTL`)
}

func TestTheTTLIsOneOfTheAgentsTime(t *testing.T) {
	s := listen(t, 1e6) // a minute takes 60 µs
	want(t, s, "PUT", "/v1/agent/service/register", registration, 200, "")
	want(t, s, "GET", "/v1/agent/check/pass/service:job-1000", "", 200, "")
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until); {
		if _, text, err := ask(t, s, "GET", lookup, ""); err != nil || text == "[]" {
			if err != nil {
				t.Error(err)
			}
			return
		}
	}
	t.Error("the service is listed for ever")
}

func TestFaultsOnTheWire(t *testing.T) {
	s := listen(t, 1)
	if err := s.SetFaults(consul.Faults{Status: 99}); err == nil {
		t.Error("a status of 99 was taken")
	}
	set := func(f consul.Faults) {
		t.Helper()
		if err := s.SetFaults(f); err != nil {
			t.Fatal(err)
		}
	}
	set(consul.Faults{Status: 503, Text: "no leader"})
	want(t, s, "GET", lookup, "", 503, "no leader")
	set(consul.Faults{Cut: true})
	if status, text, err := ask(t, s, "GET", lookup, ""); !errors.Is(err, io.ErrUnexpectedEOF) || status != 200 || text != "[" {
		t.Errorf("got %d %q %v, want an answer that ends after one byte", status, text, err)
	}
	set(consul.Faults{Delay: time.Millisecond})
	want(t, s, "GET", lookup, "", 200, "[]")
	set(consul.Faults{})
	if got := s.Faults(); got.Delay != 0 {
		t.Errorf("got %+v, want none", got)
	}
}

// Goal: Close returns at once although an answer is delayed by an hour.
func TestCloseDoesNotWaitForDelays(t *testing.T) {
	s, err := serve.Listen("127.0.0.1:0", 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SetFaults(consul.Faults{Delay: time.Hour}); err != nil {
		t.Fatal(err)
	}
	failed := make(chan error)
	go func() {
		_, _, err := ask(t, s, "PUT", "/v1/agent/service/register", registration)
		failed <- err
	}()
	for until := time.Now().Add(20 * time.Second); len(s.Services()) == 0; {
		if time.Now().After(until) {
			t.Fatal("the request does not come in")
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := <-failed; err == nil {
		t.Error("got an answer, want none")
	}
}

func TestAPortThatIsTaken(t *testing.T) {
	s := listen(t, 1)
	if _, err := serve.Listen(s.Addr(), 1); err == nil || !strings.Contains(err.Error(), "choose another port") {
		t.Errorf("got %v, want the way out", err)
	}
}
