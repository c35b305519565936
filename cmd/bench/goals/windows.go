package goals

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// seconds is the length of the window in a random plan.
const seconds = 5

// randomWindow returns a random plan with a window somewhere in its horizon. Events, failures,
// retries and an autoscaler are in the plan or not, at random.
func randomWindow(rng *rand.Rand) string {
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	cpu, shards, replicas, entries := 1+rng.IntN(2), 1+rng.IntN(2), 2+rng.IntN(2), 1+rng.IntN(3)
	call := 2 + 6*rng.Float64() // milliseconds
	rate := (0.3 + 0.5*rng.Float64()) * float64(cpu*replicas) / call * 1000
	entry := (0.2 + 0.5*rng.Float64()) * float64(entries*2) / rate * 1000
	law := func(mean float64) string {
		return fmt.Sprintf(pick(`"exp(mean=%.3gms)"`, `"gamma(mean=%.3gms, cv=0.5)"`, `"lognormal(mean=%.3gms, cv=1.5)"`, `%.3gms`), mean)
	}
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("apiVersion: capacity/v1\nseed: %d\nmodel: {agent_version: %s, size: {embeddings: 1GiB}}", 1+rng.IntN(1000), pick("1", "3"))
	line("override: {num_ps: %d, num_shard: %d, fetch_ps_timeout: %s, fetch_ps_retry: %d}", shards, shards, pick("40ms", "100ms", "400ms"), rng.IntN(3))
	line("fleet:\n  entry: {replicas: %d, cpu: 2, mem: 8GiB}\n  ps: {replicas: %d, cpu: %d, mem: 8GiB}\n  boot: {schedule: 1s}", entries, replicas, cpu)
	line("service:\n  entry: {cpu: %s, threads: %s}\n  ps: {cpu: %s, threads: %s}", law(entry), pick("2", "16"), law(call), pick("2", "16"))
	line("client: {balance: %s, abandon: %s, retry_target: %s%s}", pick("random", "round_robin", "least_loaded", "p2c"), pick("continue", "cancel"), pick("fresh_random", "distinct"), pick("", "", ", hedge: {after: 30ms}"))
	line("zookeeper: {session_timeout: 4s}\nworkload:\n  horizon: 2m\n  detail: {windows: [at %ds %ds]}", 15+rng.IntN(60), seconds)
	line("  arrivals: {process: %s}", pick("poisson", "poisson", "gamma, cv: 2", "mmpp, burst: 2x, mean_burst: 1s, mean_quiet: 3s"))
	line("  rate: %s", pick(fmt.Sprintf("%.4g/s", rate), fmt.Sprintf("{step: {before: %.4g/s, after: %.4g/s, at: 20s}}", rate, rate/2)))
	line("events:\n  - {at: %ds, traffic: {factor: %.2gx}, for: %ds}", 5+rng.IntN(20), 1.2+1.5*rng.Float64(), 2+rng.IntN(8))
	if rng.IntN(2) == 0 {
		line("  - {at: %ds, %s}", 5+rng.IntN(30), pick("kill: {ps: {count: 1}}, restart_after: 3s", "slow: {ps: {count: 1, factor: 3x}}, for: 5s", "kill: {entry: {count: 1}}, restart_after: 3s", "zookeeper: {expire_all: true}", "scale: {ps: 4}"))
	}
	if rng.IntN(4) == 0 {
		line("random_failures: {ps: {mtbf: 60s, mttr: 5s}}")
	}
	if rng.IntN(4) == 0 {
		line("autoscale: {entry: {min: %d, max: %d, interval: 5s, scrape_delay: 5s, stabilise_down: 10s, provision: 2s}}", entries, entries+3)
	}
	return b.String()
}

// windowOf simulates the window of a plan in two ways: alone, and as a part of a run over the whole
// horizon. Each way has the same number of replications. differs lists the figures in which the two
// ways disagree, "" for none. spared is the fraction of the time before the window that the first
// way did not simulate.
func windowOf(text string, replications int) (differs string, spared float64, err error) {
	_, p, _, err := plan.Parse("plan.yaml", []byte(text))
	if err != nil {
		return "", 0, err
	}
	spec := model.Compile(p, judge.Normal)
	var values [2]map[string][]float64
	var before [2]float64
	for k := range values {
		values[k] = map[string][]float64{}
		spec.Windows[0].Whole = k == 1
		for r := range replications {
			s, err := spec.Run(0, r+k*replications)
			if err != nil {
				return "", 0, err
			}
			if s.Refused != "" {
				return "", 0, fmt.Errorf("found the window refused: %s", s.Refused)
			}
			before[k] += float64(s.Before)
			failed := int64(0)
			for _, n := range s.Failed {
				failed += n
			}
			values[k]["errors"] = append(values[k]["errors"], float64(failed)/float64(max(1, s.Arrived)))
			values[k]["goodput"] = append(values[k]["goodput"], float64(s.Answered)/seconds)
			values[k]["busy"] = append(values[k]["busy"], float64(s.Tiers[model.PS].BusyNs)/1e9)
			values[k]["attempts"] = append(values[k]["attempts"], float64(s.Tiers[model.PS].Attempts))
			if s.Completed > 0 {
				values[k]["mean"] = append(values[k]["mean"], float64(s.SumNs)/float64(s.Completed)/1e6)
				values[k]["p90"] = append(values[k]["p90"], float64(s.Latency.Quantile(0.9))/1e6)
			}
		}
	}
	names := []string{"errors", "goodput", "busy", "attempts", "mean", "p90"}
	for _, name := range names {
		a, b := values[0][name], values[1][name]
		if len(a) < 3 || len(b) < 3 {
			continue
		}
		one, half := stats.Interval(a, notByChance)
		other, more := stats.Interval(b, notByChance)
		if math.Abs(one-other) > math.Hypot(half, more)+0.01*math.Max(math.Abs(other), 0.01) {
			differs += fmt.Sprintf("%s %.4g +- %.2g, over everything %.4g +- %.2g; ", name, one, half, other, more)
		}
	}
	return differs, 1 - before[0]/before[1], nil
}

// notByChance is the confidence of each comparison. It is high because there are some 1,200
// comparisons.
const notByChance = 0.9999

// windowsOf compares n random windows with runs over the whole horizon. wrong lists the windows
// that differ. inPart counts the windows for which not all earlier time was simulated.
func windowsOf(n, replications int, seed uint64) (wrong []string, inPart int, err error) {
	var mu sync.Mutex
	var wait sync.WaitGroup
	next := make(chan int)
	for range 2 {
		wait.Go(func() {
			for k := range next {
				text := randomWindow(rand.New(rand.NewPCG(seed, uint64(k))))
				differs, spared, one := windowOf(text, replications)
				mu.Lock()
				if one != nil {
					err = fmt.Errorf("%w in\n%s", one, text)
				}
				if differs != "" {
					wrong = append(wrong, fmt.Sprintf("plan %d: %s\n%s", k, differs, text))
				}
				if spared > 0.1 {
					inPart++
				}
				mu.Unlock()
			}
		})
	}
	for k := range n {
		next <- k
	}
	close(next)
	wait.Wait()
	slices.Sort(wrong)
	return wrong, inPart, err
}

// windows compares 200 random windows with runs over the whole horizon.
func windows() (Found, error) {
	wrong, inPart, err := windowsOf(200, 10, 1)
	if err != nil {
		return Found{}, err
	}
	more := ""
	if len(wrong) > 0 {
		more = "; the first: " + wrong[0]
	}
	return found(len(wrong) == 0 && inPart >= 50, "%d of 200 differ, %d were simulated in part%s", len(wrong), inPart, more)
}
