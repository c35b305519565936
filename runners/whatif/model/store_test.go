package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// stored is a fleet whose containers read 3 GB (entry) and 6 GB (ps) from a store.
const stored = `apiVersion: capacity/v1
model: {size: {embeddings: 12GB, dense: 3GB}, ram_factor: 1x}
override: {num_ps: 2, num_shard: 2, fs_poll_ps: 1s, quirks: fixed}
fleet:
  entry: {replicas: 6, cpu: 4, mem: 64GiB}
  ps: {replicas: 4, cpu: 4, mem: 64GiB}
  boot: {model_load: 1GB/s, load_fixed: 0s, store: STORE}
service: {entry: {cpu: 1ms}, ps: {cpu: 1ms}}
workload: {rate: 1/s, horizon: 10m}
`

func storedPlan(t *testing.T, store, more string) *Spec {
	t.Helper()
	_, p, _, err := plan.Parse("plan.yaml", []byte(strings.Replace(stored, "STORE", store, 1)+more))
	if err != nil {
		t.Fatal(err)
	}
	return Compile(p, Condition{})
}

// lived returns what a run says of the containers' lives.
func lived(t *testing.T, s *Spec, replication int) *Life {
	t.Helper()
	one, err := s.Run(0, replication)
	if err != nil {
		t.Fatal(err)
	}
	return &one.Life
}

// ups returns when containers of a tier came up, in seconds.
func ups(life *Life, tier int) (list []float64) {
	last := math.MaxInt
	for _, step := range life.Live[tier] {
		for range step.N - last {
			list = append(list, float64(step.At)/1e9)
		}
		last = step.N
	}
	return list
}

// Goal: containers that load at once share the store evenly, each with model_load at most. Method: closed
// forms. All 8 PS of 6 GB start together: they are up after 8 x 6 GB / store, or 6 s where the store has enough;
// those that join later lengthen the rest.
func TestLoadsShareTheStore(t *testing.T) {
	for store, want := range map[string]float64{"2GB/s": 24, "8GB/s": 6, "4GB/s": 12, "500MB/s": 96} {
		s := storedPlan(t, store, "events: [{at: 10s, kill: {ps: {count: 8}, refuse: true}}]\n")
		got := ups(lived(t, s, 0), PS)
		if len(got) != 8 || math.Abs(got[0]-10-want) > 1e-6 || math.Abs(got[7]-10-want) > 1e-6 {
			t.Errorf("store %s: up at %v, want all at %g s", store, got, 10+want)
		}
	}
	// Four PS begin at 10 s and share 2 GB/s: 0.5 GB/s each. From 12 s on, six entries read as
	// well: each of the ten gets 0.2 GB/s, and the entries have their 3 GB at 27 s. By then the PS
	// have 1 + 3 of their 6 GB, and need 4 s more.
	s := storedPlan(t, "2GB/s", "events: [{at: 10s, kill: {ps: {count: 4, pick: same_rack}, refuse: true}}, {at: 12s, kill: {entry: {count: 6}, refuse: true}}]\n")
	one := lived(t, s, 0)
	for tier, want := range map[int]float64{Entry: 27, PS: 31} {
		for _, got := range ups(one, tier) {
			if math.Abs(got-want) > 1e-6 {
				t.Errorf("%s up at %g s, want %g", plan.TierNames[tier], got, want)
			}
		}
	}
}

// Goal: a roll-out and a cold start take what the store needs for all. Method: a bound from below by the bytes
// of all, and one from above by the polls around them, which are a second each, and two of an entry that looks.
func TestARollOutTakesWhatTheStoreNeeds(t *testing.T) {
	s := storedPlan(t, "2GB/s", "events: [{at: 10s, publish: {version: 2}}]\n")
	const need = (6*3 + 8*6) / 2.0
	for k := range 5 {
		if took := float64(lived(t, s, k).Rollouts[0].Took) / 1e9; took < need || took > need+2 {
			t.Errorf("served everywhere after %g s, want %g to %g", took, need, need+2)
		}
	}
	p := storedPlan(t, "2GB/s", "").Control.Plan
	p.Workload.ColdStart = true
	life := lived(t, Compile(p, Condition{}), 0)
	if got := ups(life, PS); len(got) != 8 || math.Abs(got[7]-24) > 1e-6 {
		t.Errorf("PS up at %v, want 24 s", got)
	}
	// the entries read 18 GB together, at 2 GB/s
	if got := ups(life, Entry); len(got) != 6 || got[0] < 24+9 || got[5] > 24+1+2+9 {
		t.Errorf("entries up at %v, want 33 to 36 s", got)
	}
}

// Goal: loads share the store whatever begins and ends. Method: a second way to compute it, step by step
// from one begin or end to the next, for events at random: containers of both tiers die, some while they load
// as their idc is lost, and start again.
func TestLoadsThatBeginAndEndAtRandom(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 9))
		rate := 0.5 + 6*r.Float64()
		store := fmt.Sprintf("%.9gGB/s", rate)
		if seed%3 == 0 { // enough for all
			rate, store = 1e9, "0B/s"
		}
		var events strings.Builder
		const lost = 2 // in the place of a tier: all containers die
		type kill struct {
			tier, count int
			at, back    float64
		}
		var kills []kill
		for range 2 + r.IntN(6) {
			k := kill{r.IntN(3), 1 + r.IntN(4), 1 + math.Round(r.Float64()*60e3)/1e3, 1e-3 + math.Round(r.Float64()*9e3)/1e3}
			kills = append(kills, k)
			if k.tier == lost {
				fmt.Fprintf(&events, "  - {at: %gs, lose_idc: local, for: %gs}\n", k.at, k.back)
				continue
			}
			fmt.Fprintf(&events, "  - {at: %gs, kill: {%s: {count: %d, pick: same_rack}, refuse: true}, restart_after: %gs}\n", k.at, plan.TierNames[k.tier], k.count, k.back)
		}
		s := storedPlan(t, store, "events:\n"+events.String())
		life := lived(t, s, 0)

		type load struct{ begin, left, killed float64 }
		// the latest load by tier and container; it begins in the future for a container that is
		// yet to start
		loads := map[[2]int]load{}
		var up [2][]float64
		slices.SortStableFunc(kills, func(a, b kill) int { return int(math.Copysign(1, a.at-b.at)) })
		back := 0.0 // until when no container can start
		for now, next := 0.0, 0; next < len(kills) || len(loads) > 0; {
			reading := 0.0
			for _, l := range loads {
				if l.begin <= now {
					reading++
				}
			}
			speed := math.Min(1, rate/math.Max(1, reading))
			to := math.Inf(1)
			if next < len(kills) {
				to = kills[next].at
			}
			for _, l := range loads {
				if l.begin > now {
					to = math.Min(to, l.begin)
				} else {
					to = math.Min(to, now+l.left/speed)
				}
			}
			for key, l := range loads {
				if l.begin > now {
					continue
				}
				if l.left -= (to - now) * speed; l.left < 1e-9 {
					up[key[0]] = append(up[key[0]], to)
					delete(loads, key)
				} else {
					loads[key] = l
				}
			}
			now = to
			for ; next < len(kills) && kills[next].at <= now; next++ {
				k := kills[next]
				back = math.Max(back, map[bool]float64{true: now + k.back}[k.tier == lost])
				for tier, n := range []int{Entry: 6, PS: 8} {
					left := k.count
					for i := range n {
						_, starts := loads[[2]int{tier, i}]
						if k.tier == lost || tier == k.tier && !starts && left > 0 {
							loads[[2]int{tier, i}] = load{math.Max(now+k.back, back), 3 * float64(1+tier), now}
							left--
						}
					}
				}
			}
		}
		for tier, want := range up {
			got := ups(life, tier)
			if slices.Sort(want); !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-5 }) {
				t.Fatalf("seed %d, store %.9g GB/s: %s up at %v, want %v\n%s", seed, rate, plan.TierNames[tier], got, want, events.String())
			}
		}
	}
}

// Goal: who is scaled away while it starts never serves, and who is wanted again starts anew. Method: the
// numbers of three events within the 24 s that two PS more of each shard need to load, with and without a store.
func TestAStartThatIsNotWantedAnyMore(t *testing.T) {
	for _, store := range []string{"0B/s", "1GB/s"} {
		s := storedPlan(t, store, "events: [{at: 10s, scale: {ps: 6}}, {at: 12s, scale: {ps: 4}}, {at: 14s, scale: {ps: 5}}]\n")
		want, got := []float64{14 + 6}, []float64(nil)
		if store == "1GB/s" {
			want[0] = 14 + 12
		}
		for _, step := range lived(t, s, 0).Live[PS][1:] {
			got = append(got, float64(step.At)/1e9)
			if step.N != 10 {
				t.Errorf("store %s: %d containers at %d, want 10", store, step.N, step.At)
			}
		}
		if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-6 }) {
			t.Errorf("store %s: steps at %v, want %v", store, got, want)
		}
	}
}
