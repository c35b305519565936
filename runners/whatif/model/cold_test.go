package model

import (
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// chilled is a plan with one container per tier, whose work takes exactly 1 ms.
const chilled = `apiVersion: capacity/v1
model: {agent_version: 1, size: {embeddings: 1GB, dense: 1GB}, ram_factor: 1x}
override: {fetch_ps_timeout: 10s, fetch_ps_retry: 0, fs_poll_ps: 1s}
fleet:
  entry: {replicas: 1, cpu: 1, mem: 16GiB}
  ps: {replicas: 2, cpu: 1, mem: 32GiB}
service:
  entry: {cpu: 1ms, cold: {calls: 7, factor: 3x}}
  ps: {cpu: 1ms, cold: {calls: 20, factor: 5x}}
  contention: {model: none}
workload: {rate: 50/s, horizon: 100s, arrivals: {process: deterministic}, detail: {windows: [WINDOW]}}
events:
  - {at: 20s, EVENT}
`

// Goal: after a load or a start, exactly the configured number of calls is slower by the
// configured factor. Method: the durations of all calls, with work of 1 ms each and no
// waiting.
func TestWhatAContainerDoesFirstIsSlow(t *testing.T) {
	for event, want := range map[string][2]int64{
		"traffic: {factor: 1x}":  {0, 0},
		"publish: {version: 2}":  {7, 2 * 20},
		"kill: {ps: {count: 1}}": {0, 20},
	} {
		for _, window := range []string{"all", "at 15s 80s"} {
			_, p, _, err := plan.Parse("plan.yaml", []byte(strings.NewReplacer("EVENT", event, "WINDOW", window).Replace(chilled)))
			if err != nil {
				t.Fatal(err)
			}
			one := total(t, Compile(p, Condition{}), 1)
			entry, ps := &one.Tiers[Entry], &one.Tiers[PS]
			if got := entry.SumNs - entry.Attempts*1e6; got != want[0]*2e6 {
				t.Errorf("%s, window %s: entry took %d ms more, want %d calls of 2 ms more", event, window, got/1e6, want[0])
			}
			if got := ps.SumNs - ps.Attempts*1e6; got != want[1]*4e6 {
				t.Errorf("%s, window %s: ps took %d ms more, want %d calls of 4 ms more", event, window, got/1e6, want[1])
			}
		}
	}
}

// Goal: a window begins with the right coldness if containers became cold before it. Method:
// its counts equal those of a window over the whole horizon for the same time.
func TestAWindowBeginsWithColdContainers(t *testing.T) {
	slow := func(window string) int64 {
		_, p, _, err := plan.Parse("plan.yaml", []byte(strings.NewReplacer("EVENT", "publish: {version: 2}", "WINDOW", window, "calls: 20", "calls: 1000").Replace(chilled)))
		if err != nil {
			t.Fatal(err)
		}
		one := total(t, Compile(p, Condition{}), 1)
		return (one.Tiers[PS].SumNs - one.Tiers[PS].Attempts*1e6) / 4e6
	}
	// Each of two containers gets 25 calls a second. They are cold for about 40 s after the
	// loads at about 24 s.
	before, after := slow("at 10s 30s"), slow("at 40s 50s")
	if before == 0 || after == 0 || before+after < 1980 || before+after > 2000 {
		t.Errorf("%d slow calls up to 40 s and %d from then on, want 2000 in all but those under way", before, after)
	}
}
