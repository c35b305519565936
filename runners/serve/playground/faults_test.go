package playground

import (
	"net/http"
	"strings"
	"testing"
)

// Goal: a fault with a field that its kind does not take, without one that it takes, or with an end that it has not, is
// refused with the field before anything happens. Method: a cluster without processes, in which a fault that is not
// refused panics.
func TestFaultsThatMakeNoSense(t *testing.T) {
	s := described(t)
	for _, c := range []struct{ path, fault, want string }{
		{"begin", `{"kind": "agent.killed", "pod": "p", "end_after": "1s"}`, "end_after: found 1s, want none: agent.killed is over at once"},
		{"begin", `{"kind": "zookeeper.down", "end_after": "-1s"}`, "end_after: found -1s, want none"},
		{"begin", `{"kind": "zookeeper.down", "pod": "p"}`, "pod: found p, want none: zookeeper.down takes nothing"},
		{"begin", `{"kind": "zookeeper.down", "base_path": "/models/../.."}`, "base_path: found /models/../.., want none"},
		{"begin", `{"kind": "agent.stopped", "pod": "p", "n": 3}`, "n: found 3, want none: agent.stopped takes pod"},
		{"begin", `{"kind": "network.slow", "from": ["p"], "to": ["zookeeper"]}`, "duration: found 0s, want more than 0s"},
		{"begin", `{"kind": "network.slow", "from": ["p"], "to": ["zookeeper"], "duration": "-5s"}`, "duration: found -5s"},
		{"begin", `{"kind": "network.partition", "to": ["zookeeper"]}`, "from: found [], want pods, or zookeeper"},
		{"begin", `{"kind": "zookeeper.unanswered", "pod": "p", "n": -4}`, "n: found -4, want 1 or more"},
		{"begin", `{"kind": "modelserver.killed", "pod": "p", "duration": "1s"}`, "duration: found 1s, want none: modelserver.killed takes pod, server"},
		{"begin", `{"kind": "consul.down"}`, "kind: found \"consul.down\", want one of agent.killed"},
		{"end", `{"kind": "zookeeper.down"}`, "kind: found zookeeper.down, want a fault that is on: there is none"},
		{"end", `{"kind": "network.slow", "from": ["p"], "to": ["zookeeper"]}`, "kind: found network.slow of p and zookeeper, want a fault that is on"},
		{"end", `{"kind": "zookeeper.down", "end_after": "1s"}`, "end_after: found 1s, want none"},
	} {
		if status, text := post(t, s.URL()+"/faults/"+c.path, c.fault); status != http.StatusBadRequest || !strings.Contains(strings.ReplaceAll(text, `\"`, `"`), c.want) {
			t.Errorf("%s %s: got %d %s, want 400 %s", c.path, c.fault, status, text, c.want)
		}
	}
}
