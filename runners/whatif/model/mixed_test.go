package model

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/theory"
)

// mixedOf compiles a plan with mixed containers and no network delay. words are pairs for
// replacements in the text.
func mixedOf(t *testing.T, text string, words ...string) *Spec {
	t.Helper()
	_, p, _, err := plan.Parse("plan.yaml", []byte(strings.NewReplacer(words...).Replace(text)))
	if err != nil {
		t.Fatal(err)
	}
	return Compile(p, Condition{})
}

const sharedCores = `apiVersion: capacity/v1
model: {size: {embeddings: 3GB, dense: 1GB}, ram_factor: 1x}
override: {fetch_ps_timeout: 1000s, fetch_ps_retry: 0}
fleet:
  mixed: {replicas: 3, cpu: CPU, mem: 32GiB}
network: {same_cluster: 0ms, overhead_per_rpc: 0us}
service:
  entry: {cpu: "exp(mean=4ms)", threads: 100000}
  ps: {cpu: "gamma(mean=3ms, cv=2)", threads: 100000}
  DENSE
workload: {rate: RATE/s, horizon: 100s}
`

// Goal: the processes of a container share its cores. Method: if a container has more
// threads than cores, it is a queue with processor sharing. There, all laws take longer by
// the same factor as in M/M/c, S (1 + C/(c (1 - rho))). Containers, and the visits of a
// request, are independent, as in a network of such queues.
func TestProcessesOfAContainerShareItsCores(t *testing.T) {
	for _, c := range []struct {
		cores int
		rho   float64
		dense string
		work  float64 // milliseconds of work for a request
	}{{1, 0.5, "", 7}, {1, 0.8, "", 7}, {2, 0.7, "", 7}, {4, 0.8, "", 7}, {2, 0.7, `dense: {cpu: "exp(mean=2ms)", threads: 100000}`, 9}} {
		rate := c.rho * 3 * float64(c.cores) / c.work * 1e3
		s := mixedOf(t, sharedCores, "CPU", fmt.Sprint(c.cores), "RATE", fmt.Sprintf("%.4f", rate), "DENSE", c.dense)
		want := c.work * (1 + theory.ErlangC(c.cores, c.rho)/(float64(c.cores)*(1-c.rho)))
		near(t, fmt.Sprintf("%d cores at %v: mean latency", c.cores, c.rho), meanMs(t, s, 6), want, 0.04)
		one := total(t, s, 2)
		near(t, "busy share of the cores", float64(one.Tiers[PS].BusyNs)/float64(one.Tiers[PS].CoreNs), c.rho, 0.03)
		if one.Tiers[Entry].BusyNs != one.Tiers[PS].BusyNs || one.Tiers[PS].MaxParts > 1e6 {
			t.Errorf("entry is busy for %d ns, its container for %d, at most %d millionths", one.Tiers[Entry].BusyNs, one.Tiers[PS].BusyNs, one.Tiers[PS].MaxParts)
		}
	}
}

const several = `apiVersion: capacity/v1
seed: SEED
model: {size: {embeddings: 3GB, dense: 1GB}, ram_factor: 1x}
override: {num_ps: 4, num_shard: 2, fetch_ps_timeout: 100ms, fetch_ps_retry: RETRY, dc_aware: AWARE}
fleet:
  idcs: [{name: lf}, {name: hl}]
  mixed: {replicas: 4, cpu: CPU, mem: 32GiB}
client: {abandon: ABANDON, balance: BALANCE}
service:
  entry: {cpu: "exp(mean=2ms)"}
  ps: {cpu: "exp(mean=1ms)"}
  DENSE
workload: {rate: RATE/s, horizon: 40s}
events: [EVENTS]
`

// Goal: a mixed container dies as a whole and is noticed to be dead as a whole, because it
// has one session. Method: the lives of entry and PS, and the number of killed containers.
func TestAMixedContainerDiesAsAWhole(t *testing.T) {
	s := mixedOf(t, several, "SEED", "1", "RETRY", "2", "AWARE", "false", "CPU", "4", "ABANDON", "continue", "BALANCE", "random", "DENSE", "", "RATE", "200",
		"EVENTS", "{at: 5s, kill: {ps: {count: 1}}, restart_after: 2s}, {at: 20s, lose_idc: hl, for: 5s}")
	one, err := s.Run(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	l := one.Life
	if len(l.Detected) != 5 || l.Fates[0].Killed != 1 || l.Fates[1].Killed != 4 {
		t.Errorf("%d containers were found dead, %d and %d killed; want 5, 1 and the 4 of an idc", len(l.Detected), l.Fates[0].Killed, l.Fates[1].Killed)
	}
	for t0 := range 2 {
		for _, at := range []int64{4, 5, 6, 20, 24} {
			want := map[int64]int{4: 8, 5: 7, 6: 7, 20: 4, 24: 4}[at]
			if n := StepAt(l.Live[t0], at*1e9); n != want {
				t.Errorf("%s: %d containers are up at %d s, want %d", plan.TierNames[t0], n, at, want)
			}
		}
	}
}

// Goal: with mixed containers, requests, calls and times are always accounted for, and no
// container works longer than it can. Method: twelve random plans with deaths, lost
// locations, new versions and expired sessions.
func TestMixedContainersConserveWhatThereIs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	of := func(words ...string) string { return words[rng.IntN(len(words))] }
	for seed := range 12 {
		var events []string
		for _, at := range []int{4, 9, 14, 19} {
			events = append(events, fmt.Sprintf("{at: %ds, %s}", at, of("kill: {ps: {count: 2}}, restart_after: 2s", "kill: {ps: {count: 1}, refuse: true}", "lose_idc: hl, for: 3s", "publish: {version: 2}",
				"zookeeper: {expire_all: true}", "zookeeper: {outage: true}, for: 12s", "slow: {ps: {count: 1}}, for: 3s")))
		}
		s := mixedOf(t, several, "SEED", fmt.Sprint(seed), "RETRY", of("0", "2"), "AWARE", of("true", "false"), "CPU", of("1", "4", "16"), "ABANDON", of("continue", "cancel"), "BALANCE", of("random", "p2c", "least_loaded"),
			"DENSE", of("", `dense: {cpu: "exp(mean=1ms)"}`, `dense: {cpu: "exp(mean=1ms)", fanout_from: dense}`), "RATE", of("200", "600", "2k"), "EVENTS", strings.Join(events, ", "))
		one, err := s.Run(0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if !one.Conserved || one.Little > 1e9 {
			t.Errorf("seed %d: conserved %v, Little %d", seed, one.Conserved, one.Little)
		}
		for k := range one.Tiers {
			if one.Tiers[k].MaxParts > 1e6 {
				t.Errorf("seed %d: a container works %d millionths of the time", seed, one.Tiers[k].MaxParts)
			}
		}
	}
}
