package plan

import (
	"math"
	"strings"
	"testing"
)

const threePlaces = `apiVersion: capacity/v1
model: {agent_version: 1, size: {embeddings: 1GB}, ram_factor: 1x}
fleet: {idcs: [{name: gl}, {name: hl}, {name: yg}], entry: {replicas: 6, cpu: 64, mem: 8GiB}, ps: {replicas: 6, cpu: 64, mem: 8GiB}}
service: {entry: {cpu: 0.1ms}, ps: {cpu: 1ms}}
client: {balance: idc_aware(random)}
workload: {rate: 100/s, places: {gl: 20%, hl: 60%, yg: 20%}, horizon: 60s}
events: [EVENTS]
`

// Goal: an evacuation that nobody can follow is refused, and one of nobody is a warning. Method: clients
// that go behind the horizon, all at once, and none.
func TestEvacuationsThatMoveNobody(t *testing.T) {
	for _, c := range []struct{ plan, want string }{
		{strings.ReplaceAll(threePlaces, "EVENTS", "{at: 50s, evacuate: {idc: gl, after: 10s}}"),
			"plan.yaml:7:47: evacuate: clients go at 1m, which is after the horizon 1m (workload.horizon at 6:71) [CAP-E10]"},
		{strings.ReplaceAll(threePlaces, "EVENTS", "{at: 10s, evacuate: {idc: gl}}, {at: 20s, evacuate: {idc: hl}}, {at: 30s, evacuate: {idc: yg}}"),
			"plan.yaml:7:9: evacuate: the clients of all idcs with entry containers are sent away at once, want one that takes them [CAP-E08]"},
		{strings.NewReplacer("EVENTS", "{at: 10s, evacuate: {idc: gl}}", "gl: 20%, hl: 60%", "gl: 0%, hl: 80%").Replace(threePlaces),
			"plan.yaml:7:20: warning: events.0.evacuate changes nothing: gl has no clients in workload.places [CAP-E19]"},
	} {
		_, _, warnings, err := Parse("plan.yaml", []byte(c.plan))
		if err == nil && len(warnings) > 0 {
			err = warnings
		}
		if err == nil || err.Error() != c.want {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
}

// Goal: the fullest entry containers are looked at in each state that evacuations leave, one after the
// other as well as together. Method: shares of 20, 60 and 20 % over 2 containers each, by hand.
func TestTheFullestEntriesAreOfAnyState(t *testing.T) {
	const gl, hl = "evacuate: {idc: gl}", "evacuate: {idc: hl}"
	for _, c := range []struct {
		name, events string
		want         float64
	}{
		{"nobody leaves", "", 0.3},
		{"a small one", "{at: 10s, " + gl + "}", 0.3},
		{"a large one", "{at: 10s, " + hl + "}", 0.25},
		{"one after the other", "{at: 10s, for: 10s, " + gl + "}, {at: 30s, for: 10s, " + hl + "}", 0.25},
		{"the other one first", "{at: 30s, for: 10s, " + gl + "}, {at: 10s, for: 10s, " + hl + "}", 0.25},
		{"the second lasts longer", "{at: 10s, for: 20s, " + gl + "}, {at: 20s, for: 20s, " + hl + "}", 0.25},
		{"together for good", "{at: 10s, " + gl + "}, {at: 10s, " + hl + "}", 0.3},
	} {
		_, p, _, err := Parse("plan.yaml", []byte(strings.ReplaceAll(threePlaces, "EVENTS", c.events)))
		if err != nil {
			t.Fatal(c.name, err)
		}
		if got := p.fullestEntries(1); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: found %g, want %g", c.name, got, c.want)
		}
	}
}
