package plan

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// unsure is the plan small with uncertain values.
var unsure = strings.NewReplacer(
	"entry: {cpu: 1ms}", "entry: {cpu: {low: 900us, mid: 1ms, high: 1.4ms, confidence: 0.9}}",
	`ps: {cpu: "exp(mean=1ms)"}`, `ps: {cpu: {low: "gamma(mean=0.8ms, cv=0.4)", mid: "gamma(mean=1ms, cv=0.5)", high: "gamma(mean=1.5ms, cv=0.5)", confidence: 80%}}`,
	"rate: 1k/s", "rate: {mid: 1k/s, belief: lognormal(sigma=0.2)}",
	"workload:", "network: {loss: {low: 0%, mid: 1%, high: 3%}}\nworlds: {count: 1000}\nworkload:",
).Replace(small)

// Goal: the plan itself has the middle of each interval, and low and high are the right
// quantiles of the values in worlds.
func TestWorldsAreWhatIsBelieved(t *testing.T) {
	s, p, _, err := Parse("plan.yaml", []byte(unsure))
	if err != nil {
		t.Fatal(err)
	}
	if p.Service.Entry.CPU.Mean != 1e6 || p.Workload.Rate.Peak() != 1000 || p.Network.Loss != 0.01 || len(p.Uncertain) != 4 {
		t.Fatalf("got %g, %g, %g, %d uncertain values", p.Service.Entry.CPU.Mean, float64(p.Workload.Rate.Peak()), float64(p.Network.Loss), len(p.Uncertain))
	}
	var entry, mean, rate, loss []float64
	for _, values := range p.DrawWorlds() {
		world, _, err := s.With(values)
		if err != nil {
			t.Fatalf("%v: %v", values, err)
		}
		if len(world.Uncertain) > 0 {
			t.Fatalf("a world has uncertain values: %v", world.Uncertain)
		}
		entry, mean = append(entry, world.Service.Entry.CPU.Mean/1e6), append(mean, world.Service.PS.CPU.Mean/1e6)
		rate, loss = append(rate, float64(world.Workload.Rate.Peak())), append(loss, float64(world.Network.Loss))
	}
	share := func(list []float64, below float64) float64 {
		n := 0
		for _, x := range list {
			if x < below {
				n++
			}
		}
		return float64(n) / float64(len(list))
	}
	for _, c := range []struct {
		what        string
		list        []float64
		below, want float64
		within      float64 // with a Latin hypercube, the share of worlds is right up to a single world
	}{
		{"entry", entry, 0.9, 0.05, 0.0011}, {"entry", entry, 1, 0.5, 0.0011}, {"entry", entry, 1.4, 0.95, 0.0011},
		{"ps", mean, 0.8, 0.1, 0.0011}, {"ps", mean, 1, 0.5, 0.0011}, {"ps", mean, 1.5, 0.9, 0.0011},
		{"loss", loss, 0.01, 0.5, 0.0011}, {"loss", loss, 0.03, 0.95, 0.0011}, {"loss", loss, 1e-9, distuv.UnitNormal.CDF(-1.6448536), 0.0011},
		{"rate", rate, 1000 * math.Exp(-0.02), 0.5, 0.05}, {"rate", rate, 1000 * math.Exp(-0.02+0.2), 0.8413, 0.05},
	} {
		if got := share(c.list, c.below); math.Abs(got-c.want) > c.within {
			t.Errorf("%s: %.4f are below %g, want %.4f", c.what, got, c.below, c.want)
		}
	}
	a, b := p.DrawWorlds(), p.DrawWorlds()
	if !slices.EqualFunc(a, b, slices.Equal) {
		t.Error("worlds differ")
	}
}

// Goal: drawn values are written with the unit of mid. If low, mid and high have different units,
// they are written with the base unit.
func TestValuesBetween(t *testing.T) {
	const z90 = 1.6448536269514722
	for _, c := range []struct {
		low, mid, high string
		z              float64
		want           string
	}{
		{"1ms", "2ms", "8ms", z90, "8ms"}, {"1ms", "2ms", "8ms", -z90, "1ms"}, {"1ms", "2ms", "8ms", 0, "2ms"}, {"1ms", "2ms", "8ms", z90 / 2, "4ms"},
		{"500us", "1ms", "2ms", z90, "2000000ns"}, {"1k/s", "1M/s", "1G/s", -z90, "1000/s"},
		{"0%", "2%", "90%", 3 * z90, "100%"}, {"-1", "0", "3", z90, "3"},
		{"lognormal(mean=300, p99=1000)", "lognormal(mean=350, p99=1200)", "lognormal(mean=400, p99=1300)", z90, "lognormal(mean=400, p99=1300)"},
	} {
		u := Uncertain{Low: c.low, Mid: c.mid, High: c.high, Confidence: 0.9}
		if got, err := u.between(c.z); err != nil || got != c.want {
			t.Errorf("%s, %s, %s at %g: got %q, %v, want %q", c.low, c.mid, c.high, c.z, got, err, c.want)
		}
	}
	u := Uncertain{Mid: "lognormal(mean=300, p99=1000)", Belief: "det(2)"}
	u.law.Kind, u.law.Mean = "det", 2
	if got := u.draw(0.5, rand.New(rand.NewPCG(1, 1))); got != "lognormal(mean=600, p99=2000)" {
		t.Errorf("twice the law is %q", got)
	}
}

// Goal: uncertain counts are drawn as whole numbers, whatever their unit.
func TestCountsAreDrawnWhole(t *testing.T) {
	text := strings.Replace(small, `ps: {cpu: "exp(mean=1ms)"}`, `ps: {cpu: "exp(mean=1ms)", queue: {low: 0.9k, mid: 1k, high: 2k, confidence: 90%}}`, 1)
	source, p, _, err := Parse("plan.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, values := range p.DrawWorlds() {
		made, _, err := source.With(values)
		if err != nil {
			t.Fatal(values, err)
		}
		if n := made.Service.PS.Queue; n < 500 || n > 5000 {
			t.Errorf("%v: got a queue of %d", values, n)
		}
	}
}

// Goal: durations of several units mean in intervals and beliefs what they mean elsewhere. Method: the same plan with
// one unit each.
func TestUncertainDurationsOfSeveralUnits(t *testing.T) {
	drawn := func(several bool) (list []float64) {
		text := strings.NewReplacer(
			"entry: {cpu: 1ms}", "entry: {cpu: {low: 1ms100us, mid: 1ms500us, high: 1ms900us}}",
			`ps: {cpu: "exp(mean=1ms)"}`, `ps: {cpu: {mid: "gamma(mean=1ms500us, cv=0.5)", belief: lognormal(sigma=0.2)}}`,
			"workload:", "worlds: {count: 20}\nworkload:").Replace(small)
		if !several {
			text = strings.NewReplacer("1ms100us", "1.1ms", "1ms500us", "1.5ms", "1ms900us", "1.9ms").Replace(text)
		}
		s, p, _, err := Parse("plan.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, values := range p.DrawWorlds() {
			world, _, err := s.With(values)
			if err != nil {
				t.Fatalf("%v: %v", values, err)
			}
			list = append(list, world.Service.Entry.CPU.Mean, world.Service.PS.CPU.Mean)
		}
		return list
	}
	one := drawn(false)
	for i, v := range drawn(true) {
		if math.Abs(v-one[i]) > 1 {
			t.Fatalf("value %d: got %g, want %g", i, v, one[i])
		}
	}
}
