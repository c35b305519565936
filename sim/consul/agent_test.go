package consul

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Goal: the agent follows each rule of SPEC.md. Method: requests as consul.py sends them, with the
// expected answers as texts.

const s = time.Second

type step struct {
	at             time.Duration
	method, target string
	body           string
	status         int
	answer         string
}

const (
	ps0  = `{"id": "job-1000", "name": "job", "port": 1000, "check": {"ttl": "60s"}, "tags": ["index:0", "name:ps", "ip:10.0.0.1"]}`
	one  = `[{"Host":"h","Port":1000,"Tags":{"index":"0","ip":"10.0.0.1","name":"ps"}}]`
	look = "/v1/lookup/name?name=job&addr-family=dual-stack"
	pass = "/v1/agent/check/pass/service:job-1000"
	reg  = "/v1/agent/service/register"
)

func play(t *testing.T, a *Agent, steps ...step) {
	t.Helper()
	for i, x := range steps {
		got := a.Handle(x.at, Request{Method: x.method, Target: x.target, Body: []byte(x.body), From: "h"})
		if got.Status != x.status || string(got.Body) != x.answer {
			t.Errorf("step %d, %s %s at %v: got %d %q, want %d %q", i, x.method, x.target, x.at, got.Status, got.Body, x.status, x.answer)
		}
	}
}

func TestACheckPassesWhileItsTTLLasts(t *testing.T) {
	play(t, New(),
		step{0, "GET", look, "", 200, "[]"},
		step{0, "PUT", reg, ps0, 200, ""},
		step{1 * s, "GET", look, "", 200, "[]"},
		step{2 * s, "GET", pass, "", 200, ""},
		step{62*s - 1, "GET", look, "", 200, one},
		step{62 * s, "GET", look, "", 200, "[]"},
		step{70 * s, "GET", pass, "", 200, ""},
		step{70 * s, "GET", look, "", 200, one},
		step{71 * s, "PUT", "/v1/agent/check/fail/service:job-1000", "", 200, ""},
		step{71 * s, "GET", look, "", 200, "[]"},
	)
}

func TestARegistrationReplacesTheOneOfItsID(t *testing.T) {
	other := `{"id": "job-1000", "name": "job", "port": 1000, "check": {"ttl": "60s"}, "tags": ["index:1", "flag"]}`
	play(t, New(),
		step{0, "PUT", reg, ps0, 200, ""},
		step{0, "GET", pass, "", 200, ""},
		step{50 * s, "PUT", reg, other, 200, ""},
		step{100 * s, "GET", look, "", 200, `[{"Host":"h","Port":1000,"Tags":{"flag":"","index":"1"}}]`},
		step{110 * s, "GET", look, "", 200, "[]"},
	)
}

// Goal: each host has its own agent, so one id registered by two hosts gives two services.
func TestAnIDIsOneOfItsHost(t *testing.T) {
	a := New()
	ask := func(from, method, target, body string) string {
		answer := a.Handle(0, Request{Method: method, Target: target, Body: []byte(body), From: from})
		return string(answer.Body)
	}
	for _, host := range []string{"h", "i"} {
		ask(host, "PUT", reg, ps0)
		ask(host, "GET", pass, "")
	}
	const other = `{"Host":"i","Port":1000,"Tags":{"index":"0","ip":"10.0.0.1","name":"ps"}}`
	if got, want := ask("k", "GET", look, ""), "["+one[1:len(one)-1]+","+other+"]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	ask("k", "PUT", "/v1/agent/service/deregister/job-1000", "")
	ask("h", "PUT", "/v1/agent/service/deregister/job-1000", "")
	if got, want := ask("k", "GET", look, ""), "["+other+"]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAHeartbeatOfWhatIsGoneHasNoEffect(t *testing.T) {
	gone := `CheckID "service:job-1000" does not have associated TTL`
	a := New()
	play(t, a,
		step{0, "GET", pass, "", 500, gone},
		step{0, "PUT", reg, ps0, 200, ""},
		step{0, "GET", pass, "", 200, ""},
		step{0, "PUT", "/v1/agent/service/deregister/job-1000", "", 200, ""},
		step{0, "GET", pass, "", 500, gone},
		step{0, "GET", look, "", 200, "[]"},
		step{0, "PUT", "/v1/agent/service/deregister/job-1000", "", 200, ""},
		step{0, "PUT", reg, ps0, 200, ""},
	)
	a.Forget()
	play(t, a, step{0, "GET", pass, "", 500, gone})
}

func TestWhatMakesNoSenseIsRefused(t *testing.T) {
	play(t, New(),
		step{0, "PUT", reg, `{`, 400, "Request decode failed: unexpected end of JSON input"},
		step{0, "PUT", reg, `{"id": "x"}`, 400, "Missing service name"},
		step{0, "PUT", reg, `{"name": "x", "check": {}}`, 400, invalidCheck},
		step{0, "PUT", reg, `{"name": "x", "check": {"ttl": "0s"}}`, 400, invalidCheck},
		step{0, "PUT", reg, `{"name": "x", "check": {"ttl": "soon"}}`, 400, `Request decode failed: time: invalid duration "soon"`},
		step{0, "GET", reg, ps0, 405, "method GET not allowed"},
		step{0, "POST", pass, "", 405, "method POST not allowed"},
		step{0, "GET", "/v1/agent/check/burn/x", "", 404, "404 page not found\n"},
		step{0, "GET", "/v1/kv", "", 404, "404 page not found\n"},
		step{0, "GET", "no path", "", 400, `Bad request: parse "no path": invalid URI for request`},
		step{0, "GET", "/v1/agent/services", "", 200, "[]"},
		step{0, "PUT", reg, `{"name": "x", "port": 1, "check": {"interval": "30s", "script": "true"}}`, 200, ""},
		step{0, "GET", "/v1/agent/services", "", 200, `[{"id":"x","name":"x","host":"h","port":1,"tags":[],"passing":true,"listed":true}]`},
		step{0, "GET", "/v1/agent/check/pass/service:x", "", 500, `CheckID "service:x" does not have associated TTL`},
	)
}

func TestFaults(t *testing.T) {
	known := func() *Agent {
		a := New()
		play(t, a, step{0, "PUT", reg, ps0, 200, ""}, step{0, "GET", pass, "", 200, ""})
		return a
	}
	for _, f := range []struct {
		name   string
		faults Faults
		status int
		answer string
	}{
		{"status", Faults{Status: 503, Text: "no leader"}, 503, "no leader"},
		{"text", Faults{Text: "<html>"}, 200, "<html>"},
		{"lag", Faults{Lag: 2 * s}, 200, "[]"},
		{"lag that is over", Faults{Lag: s}, 200, one},
		{"hidden host", Faults{Hidden: []string{"h"}}, 200, "[]"},
		{"hidden id", Faults{Hidden: []string{"job-1000"}}, 200, "[]"},
		{"others hidden", Faults{Hidden: []string{"other"}}, 200, one},
	} {
		t.Run(f.name, func(t *testing.T) {
			a := known()
			*a.Faults() = f.faults
			play(t, a, step{1 * s, "GET", look, "", f.status, f.answer})
		})
	}
	a := known()
	a.Faults().Cut, a.Faults().Delay = true, 3*s
	got := a.Handle(0, Request{Method: "GET", Target: look})
	if diff := cmp.Diff(Answer{Status: 200, Body: []byte(one), Cut: true, After: 3 * s}, got); diff != "" || string(got.Sent()) != one[:len(one)/2] {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestFaultsThatMakeNoSense(t *testing.T) {
	for _, c := range []struct {
		faults Faults
		want   string
	}{
		{Faults{Status: 99}, "status: found 99, want 200 to 599, or 0 for no fault"},
		{Faults{Delay: -s}, "delay: found -1s, want 0s or more"},
		{Faults{Lag: -s}, "lag: found -1s, want 0s or more"},
	} {
		if err := c.faults.Check(); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if err := (Faults{Status: 503, Delay: s, Lag: s}).Check(); err != nil {
		t.Error(err)
	}
}
