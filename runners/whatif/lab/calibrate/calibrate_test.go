package calibrate

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/runners/whatif/lab/observe"
	"github.com/monosim/monosim/runners/whatif/law"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
)

// made is an artificial cluster with known laws: the work of servers, how late requests
// begin, and the time of a call outside its server.
type made struct {
	work, late, beyond law.Law
	seed               uint64
	// perItem is how much each item that a PS gets adds to its mean work, in nanoseconds. share
	// is the part of a request's items that one PS gets. perItem is 0 if items do not matter.
	perItem, share float64
	items          law.Law
}

var known = made{work: law.Logged(20e6, 0.3), late: law.Shaped(80e3, 0.5), beyond: law.Shaped(200e3, 0.3), seed: 1}

// observation returns what would be observed of the cluster under a plan's load. Its servers
// work first come, first served.
func (m made) observation(t *testing.T, p *plan.Plan) *observe.Observation {
	t.Helper()
	spec := model.Compile(p, model.Condition{})
	warm, until := int64(2e9), int64(p.Workload.Horizon)
	spec.Windows = []model.Window{observe.WindowOf(warm, until)}
	times, err := spec.ArrivalTimes(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(m.seed, 7))
	o := &observe.Observation{Format: observe.Format, Plan: p.Name, ScenarioHash: observe.Scenario(p), Began: time.Unix(1.8e9, 0), Threads: p.Service.PS.Threads}
	o.Load = observe.Load{Warm: warm, Until: until, Requests: observe.Requests{Intended: times}}
	if m.perItem > 0 {
		for range p.Override.NumPS {
			o.Shares = append(o.Shares, m.share)
		}
		for range times {
			o.Load.Requests.Items = append(o.Load.Requests.Items, int32(math.Max(m.items.Sample(rng, 0), 1)))
		}
	}
	free := map[int][]int64{} // the times at which each thread of a server becomes free
	for i, at := range times {
		sent := at + int64(m.late.Sample(rng, 0))
		done := sent
		for slot := range p.Override.NumPS {
			server := slot*p.Fleet.PS.Replicas.Default + rng.IntN(p.Fleet.PS.Replicas.Default)
			if free[server] == nil {
				free[server] = make([]int64, p.Service.PS.Threads)
			}
			longer := 1.0
			if m.perItem > 0 {
				longer += m.perItem * m.share * float64(o.Load.Requests.Items[i]) / m.work.Mean
			}
			done = max(done, m.call(rng, &o.Load.Calls, free[server], i, slot, server, sent, longer))
		}
		q := &o.Load.Requests
		q.Sent, q.Done, q.OK = append(q.Sent, sent), append(q.Done, done), append(q.OK, true)
	}
	return o
}

// call makes one call, which takes the first thread that becomes free.
func (m made) call(rng *rand.Rand, c *observe.Calls, threads []int64, request, slot, server int, sent int64, longer float64) int64 {
	beyond := int64(m.beyond.Sample(rng, 0))
	came := sent + beyond/2
	first := slices.Index(threads, slices.Min(threads))
	waited := max(threads[first]-came, 0)
	worked := int64(m.work.Sample(rng, 0) * longer)
	threads[first] = came + waited + worked
	done := sent + beyond + waited + worked
	c.Request, c.Slot, c.Attempt, c.Server = append(c.Request, int32(request)), append(c.Slot, int16(slot)), append(c.Attempt, 0), append(c.Server, int16(server))
	c.Sent, c.Done, c.Waited, c.Worked, c.Outcome = append(c.Sent, sent), append(c.Done, done), append(c.Waited, waited), append(c.Worked, worked), append(c.Outcome, observe.Answered)
	return done
}

// scenario returns the benchmark's scenario whose name contains the given text.
func scenario(t *testing.T, name string) Scenario {
	t.Helper()
	i := slices.IndexFunc(Scenarios(), func(s Scenario) bool { return strings.Contains(s.Name, name) })
	if i < 0 {
		t.Fatalf("no scenario %q", name)
	}
	return Scenarios()[i]
}

func planOf(t *testing.T, s Scenario, horizon time.Duration, profile string) *plan.Plan {
	t.Helper()
	p, err := s.Plan(horizon, profile)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Goal: a fit recovers the true laws. Method: observations of artificial servers with known
// laws. The confidence intervals of the fit have to contain the true values, which holds for
// the fixed seed.
func TestAFitFindsTheLaws(t *testing.T) {
	const horizon = 30 * time.Second
	var list []*observe.Observation
	for _, name := range []string{"fifth", "even", "four fifths"} {
		list = append(list, known.observation(t, planOf(t, scenario(t, name), horizon, "")))
	}
	p, err := Fit(list)
	if err != nil {
		t.Fatal(err)
	}
	if p.PS.Law.Kind != law.LogNormal || p.PS.KS > goodKS {
		t.Errorf("the work is taken for %s, at a distance of %.3f; want log-normal", p.PS.Text, p.PS.KS)
	}
	want := map[string]float64{"service.ps.cpu mean": 20e6, "service.ps.cpu sigma": 0.3, "service.entry.cpu mean": 80e3, "service.entry.cpu cv": 0.5}
	for _, one := range p.All() {
		if v, ok := want[one.What]; ok && (v < one.Low || v > one.High) {
			t.Errorf("%s: found %s, want %g in it", one.What, one, v)
		}
		delete(want, one.What)
	}
	if len(want) > 0 {
		t.Errorf("not fitted: %v", want)
	}
	mean := p.PerRPC.Value + 2*p.Link.Law.Mean
	if math.Abs(mean/200e3-1) > 0.03 {
		t.Errorf("a call takes %g ns beyond its server, want 200 us", mean)
	}
}

// Goal: a plan takes its service times from a profile, and a simulation with it predicts
// loads that the profile was not fitted to. Method: the same artificial servers under other
// loads.
func TestAProfileForetellsOtherLoads(t *testing.T) {
	const horizon = 40 * time.Second
	dir := t.TempDir()
	o := BenchOptions{Horizon: horizon, Dir: dir, Scenarios: []Scenario{scenario(t, "four fifths"), scenario(t, "half of the capacity"), scenario(t, "four shards")}}
	var seen []*observe.Observation
	for _, s := range o.Scenarios {
		seen = append(seen, known.observation(t, planOf(t, s, horizon, "")))
	}
	r, err := o.Judge(t.Context(), seen)
	if err != nil {
		t.Fatal(err)
	}
	all, missed := r.Aimed()
	if all != 6 || missed != 0 {
		var text strings.Builder
		_ = r.Write(&text)
		t.Errorf("%d of %d aims missed, want none of 6:\n%s", missed, all, text.String())
	}
	p := planOf(t, o.Scenarios[1], horizon, filepath.Join(dir, ProfileFile))
	if p.Measured == nil || len(p.Measured.HeldOut) != 2 || p.Measured.Calibrated.Runs != 1 || p.Service.PS.CPU.Kind != law.LogNormal {
		t.Errorf("the plan has the profile %+v", p.Measured)
	}
}

// Goal: a round trip that was added on purpose (CAP-7.7) is not part of the fitted profile,
// but is part of what a replay predicts.
func TestAnAddedRoundTripIsNotTheNetworks(t *testing.T) {
	const horizon = 30 * time.Second
	p := planOf(t, scenario(t, "half of the capacity"), horizon, "")
	far := known
	far.beyond = law.Between(known.beyond.Mean*0.9+40e6, known.beyond.Mean*1.1+40e6)
	near := known
	near.beyond = law.Between(known.beyond.Mean*0.9, known.beyond.Mean*1.1)
	added := far.observation(t, p)
	added.RoundTrip = 40e6
	with, err := Fit([]*observe.Observation{added})
	if err != nil {
		t.Fatal(err)
	}
	without, err := Fit([]*observe.Observation{near.observation(t, p)})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := with.PerRPC.Value, without.PerRPC.Value; a <= 0 || math.Abs(a/b-1) > 0.02 {
		t.Errorf("the overhead of a call is %v with an added round trip and %v without", a, b)
	}
	c, err := Replay(t.Context(), p, added)
	if err != nil {
		t.Fatal(err)
	}
	if r := c.Row("p50(request)"); math.Abs(r.Error) > 0.03 {
		t.Errorf("p50: %g measured, %g simulated, want the round trip in both", r.Measured, r.Simulated)
	}
	sum, n := 0.0, 0.0
	for _, r := range c.Rows {
		if r.Unit == "ns" || r.Unit == "per_second" {
			sum, n = sum+math.Abs(r.Error), n+1
		}
	}
	if n == 0 || math.Abs(c.MAPE-sum/n) > 1e-12 {
		t.Errorf("MAPE %g, want the mean of %g rows, %g", c.MAPE, n, sum/n)
	}
}

// Goal: a wrong prediction is reported. Method: the observed servers are a fifth slower than
// those of the profile.
func TestOtherServersAreTold(t *testing.T) {
	const horizon = 30 * time.Second
	slower := known
	slower.work = law.Logged(24e6, 0.3)
	half := scenario(t, "half of the capacity")
	p := planOf(t, half, horizon, "")
	c, err := Replay(t.Context(), p, slower.observation(t, p))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range c.Missed() {
		names = append(names, r.Metric)
	}
	if !slices.Equal(names, []string{"p50(request)", "p99(request)"}) {
		t.Errorf("missed: %v, want p50 and p99", names)
	}
	if h := c.HeldOut(); h.P50 > -0.1 || h.Missed != "p50(request); p99(request)" {
		t.Errorf("a profile would keep %+v", h)
	}
}

// Goal: a fit recognizes the family of a law. Other distributions become histograms that a
// plan can read.
func TestFamilies(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	two := law.Law{Kind: law.Trace, Values: []float64{5e6, 5.1e6, 40e6, 41e6}}
	for _, c := range []struct {
		of   law.Law
		want law.Kind
	}{
		{law.Constant(5e6), law.Det}, {law.Exponential(5e6), law.Exp}, {law.Shaped(5e6, 0.4), law.Gamma}, {law.Logged(5e6, 0.8), law.LogNormal},
		{law.Between(1e6, 9e6), law.Uniform}, {two, law.Hist},
	} {
		var list []float64
		for range 20_000 {
			list = append(list, c.of.Sample(rng, 0))
		}
		f := choose("x", list)
		// An exponential law is also a gamma law, so both are right.
		if f.Law.Kind != c.want && !(c.want == law.Exp && f.Law.Kind == law.Gamma) {
			t.Errorf("%s is taken for %s", c.of.Kind, f.Law.Kind)
		}
		p := &Profile{PS: f, Entry: moments("e", list), Link: gammaOf("l", 1e5, 0.5), PerRPC: Parameter{What: "p", Value: 1e5}, Threads: 2, Calibrated: plan.Calibrated{On: "2026-11-23"}}
		path := filepath.Join(t.TempDir(), "a.profile")
		if err := p.Write(path); err != nil {
			t.Fatal(err)
		}
		read, err := plan.ReadProfile(path)
		if err != nil {
			t.Fatalf("%s: %v", c.of.Kind, err)
		}
		mean, want := read.Service.PS.CPU.Mean, 0.0
		for _, v := range list {
			want += v / float64(len(list))
		}
		if math.Abs(mean/want-1) > 0.02 {
			t.Errorf("%s: the mean is %g after it was written and read, want %g", c.of.Kind, mean, want)
		}
	}
}

// Goal: observations that cannot be fitted or compared give errors that say why.
func TestErrors(t *testing.T) {
	half := scenario(t, "half of the capacity")
	p := planOf(t, half, 30*time.Second, "")
	o := known.observation(t, p)
	few := *o
	few.Load.Calls = observe.Calls{}
	for _, c := range []struct {
		do   func() error
		want string
	}{
		{func() error { _, err := Fit([]*observe.Observation{&few}); return err }, "found 0 answered calls in 1 observations, want at least 1000"},
		{func() error {
			_, err := Replay(t.Context(), planOf(t, scenario(t, "four shards"), 30*time.Second, ""), o)
			return err
		}, `the observation is of "half of the capacity"`},
		{func() error {
			silent := *o
			silent.Load.Calls.Worked = slices.Repeat([]int64{-1}, len(o.Load.Calls.Worked))
			_, err := Fit([]*observe.Observation{&silent})
			return err
		}, "--monosim_timings"},
		{func() error {
			other := *o
			other.Threads = 9
			_, err := Fit([]*observe.Observation{o, &other})
			return err
		}, "found servers of 9 threads beside such of 4"},
		{func() error {
			path := filepath.Join(t.TempDir(), "no.profile")
			if err := os.WriteFile(path, []byte("a: 1\n"), 0o644); err != nil {
				return err
			}
			return Record(path, nil)
		}, "unknown key"},
	} {
		if err := c.do(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// Goal: a fit separates the time per item from the time per call. A plan with the profile
// has both, and the distribution of items. Method: artificial servers with known times that
// vary in proportion.
func TestAFitTellsItemsFromCalls(t *testing.T) {
	m := known
	m.work, m.perItem, m.share, m.items = law.Logged(5e6, 0.2), 40e3, 0.5, law.Logged(300, 0.8)
	o := m.observation(t, planOf(t, scenario(t, "fifth"), 30*time.Second, ""))
	p, err := Fit([]*observe.Observation{o})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"service.ps.cpu base": 5e6, "service.ps.cpu per_item": 40e3, "service.ps.noise sigma": 0.2}
	for _, one := range p.All() {
		if v, ok := want[one.What]; ok && (v < one.Low || v > one.High || one.High-one.Low > v/5) {
			t.Errorf("%s: found %s, want %g in it, and it narrow", one.What, one, v)
		}
		delete(want, one.What)
	}
	if len(want) > 0 {
		t.Errorf("not fitted: %v", want)
	}
	path := filepath.Join(t.TempDir(), "items.profile")
	if err := p.Write(path); err != nil {
		t.Fatal(err)
	}
	again := planOf(t, scenario(t, "fifth"), 30*time.Second, path).Service
	if l := again.PS.CPU.Law; l.Kind != law.Affine || math.Abs(l.PerItem/40e3-1) > 0.05 || again.PS.Noise.Kind != law.LogNormal {
		t.Errorf("the plan has PS of %+v with noise of %s", l, again.PS.Noise.Kind)
	}
	if mean := m.items.Mean; math.Abs(again.Items.Mean/mean-1) > 0.1 {
		t.Errorf("the plan has %g items a request, want %g", again.Items.Mean, mean)
	}
	for i := range o.Load.Requests.Items {
		o.Load.Requests.Items[i] = 7
	}
	if _, err := Fit([]*observe.Observation{o}); err == nil || !strings.Contains(err.Error(), "whose service.items vary") {
		t.Errorf("got %v for calls that all have as many items", err)
	}
}
