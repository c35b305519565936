package judge

import (
	"math"
	"slices"

	"github.com/monosim/monosim/runners/whatif/ensemble"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// axis holds a window's time series, combined over all replications.
type axis []tick

// tick is one step of a time series: sums over all replications, and each replication's
// value of each metric.
type tick struct {
	sum    model.Instant
	values [axisMetrics][]float32
}

// Indices of the metrics of a step. Busy, Waiting and Live take one index for each of the three tiers.
const (
	ofErrors = iota
	ofGoodput
	ofP50
	ofP99
	ofBusy
	ofWaiting   = ofBusy + 3
	ofLive      = ofWaiting + 3
	axisMetrics = ofLive + 3
)

// add adds a replication.
func (a *axis) add(s *model.Sample, w *model.Window) {
	if *a == nil {
		*a = make(axis, len(s.Series))
	}
	for k := range s.Series {
		(*a)[k].add(&s.Series[k], secondsOf(w, k))
	}
}

// secondsOf returns the length of step k in seconds. The last step of a window may be shorter.
func secondsOf(w *model.Window, k int) float64 {
	return float64(min(w.Step, int64(w.End-w.Start)-int64(k)*w.Step)) / 1e9
}

func (t *tick) add(i *model.Instant, seconds float64) {
	put := func(metric int, v float64) { t.values[metric] = append(t.values[metric], float32(v)) }
	if i.Arrived > 0 {
		put(ofErrors, share(i.Failed, i.Arrived))
	}
	put(ofGoodput, float64(i.Answered)/seconds)
	if i.Completed > 0 {
		put(ofP50, float64(i.Latency.Quantile(0.5)))
		put(ofP99, float64(i.Latency.Quantile(0.99)))
	}
	for tier := range plan.TierNames {
		put(ofBusy+tier, float64(i.Busy[tier])/1000)
		put(ofWaiting+tier, float64(i.Waiting[tier]))
		put(ofLive+tier, float64(i.Live[tier]))
		t.sum.Loading[tier] += i.Loading[tier]
	}
	t.sum.Arrived += i.Arrived
	t.sum.Completed += i.Completed
	t.sum.Failed += i.Failed
	t.sum.Turns += i.Turns
	t.sum.Loaded += i.Loaded
	t.sum.Latency.Merge(i.Latency)
}

// middle is the share of replications that lie within a band.
const middle = 0.9

// banded returns a metric's mean over the replications, and the band in which the share middle of
// the replications lies. The mean and both ends of the band are multiplied by factor.
func (t *tick) banded(metric int, factor float64) *result.Banded {
	list := slices.Clone(t.values[metric])
	if len(list) == 0 {
		return nil
	}
	slices.Sort(list)
	mean := 0.0
	for _, v := range list {
		mean += float64(v)
	}
	mean /= float64(len(list))
	out := int(math.Round(float64(len(list)-1) * (1 - middle) / 2))
	return &result.Banded{Value: mean * factor, Low: float64(list[out]) * factor, High: float64(list[len(list)-1-out]) * factor}
}

// series returns the time series of each window that contains an event.
func (e *Evaluation) series() []result.Series {
	var list []result.Series
	fleet := ensemble.Of(e.Plan)
	rest := fleet.Mean(&e.Plan.ZooKeeper)
	reload := rest.PerReload / math.Max(float64(fleet.Containers()), 1) // of one container
	for _, w := range e.Windows {
		if w.Window.Step == 0 || len(w.axis) == 0 {
			continue
		}
		one := result.Series{Window: w.Window.Name, Step: w.Window.Step, Marks: e.marks(w)}
		for k := range w.axis {
			m, turns, loaded := e.moment(w, k)
			m.ZooKeeper = rest.Reads + turns*rest.PerDeath + loaded*reload
			one.Points = append(one.Points, m)
		}
		list = append(list, one)
	}
	return list
}

// moment returns one step of a time series, except for its load on ZooKeeper. turns is the number
// of containers per second that became visible or invisible to callers, and loaded is the number
// per second that loaded a version.
func (e *Evaluation) moment(w *Pool, k int) (m result.Moment, turns, loaded float64) {
	thin := float64(max(e.Spec.Control.Thin, 1))
	t, at := &w.axis[k], int64(w.Window.Start)+int64(k)*w.Window.Step
	each := thin / float64(max(e.Runs, 1)) / secondsOf(&w.Window, k)
	m = result.Moment{At: at, Offered: float64(t.sum.Arrived) * each, Errors: t.banded(ofErrors, 1), Goodput: t.banded(ofGoodput, thin),
		P50: t.banded(ofP50, 1), P99: t.banded(ofP99, 1),
		Busy: map[string]*result.Banded{}, Waiting: map[string]*result.Banded{}, Live: map[string]*result.Banded{}, Mem: map[string]int64{}}
	if t.sum.Arrived > 0 {
		m.Errors.Value = share(t.sum.Failed, t.sum.Arrived)
	}
	if t.sum.Completed > 0 {
		m.P50.Value, m.P99.Value = float64(t.sum.Latency.Quantile(0.5)), float64(t.sum.Latency.Quantile(0.99))
	}
	for tier, name := range plan.TierNames {
		if e.Plan.Fleet.Tier(name) == nil {
			continue
		}
		m.Busy[name], m.Waiting[name], m.Live[name] = t.banded(ofBusy+tier, thin), t.banded(ofWaiting+tier, thin), t.banded(ofLive+tier, thin)
		if m.Mem[name] = int64(e.Plan.Memory(name, 1)); t.sum.Loading[tier] > 0 {
			m.Mem[name] = int64(e.Plan.MemoryPeak(name))
		}
	}
	return m, float64(t.sum.Turns) * each, float64(t.sum.Loaded) * each
}

// marks lists the events in a window, and when callers noticed that containers had died.
func (e *Evaluation) marks(w *Pool) []result.Mark {
	var list []result.Mark
	add := func(at int64, text string) {
		if at >= int64(w.Window.Start) && at < int64(w.Window.End) {
			list = append(list, result.Mark{At: at, Text: text})
		}
	}
	for i := range e.Plan.Events {
		event := &e.Plan.Events[i]
		add(int64(event.At), event.Label())
		if event.For > 0 {
			add(int64(event.At)+int64(event.For), event.Label()+" ends")
		}
		if i < len(w.Sum.Life.Fates) {
			if f := &w.Sum.Life.Fates[i]; f.Killed > 0 {
				add(int64(event.At)+f.UnseenNs/f.Killed, event.Label()+" is noticed")
			}
		}
	}
	slices.SortStableFunc(list, func(a, b result.Mark) int { return int(min(max(a.At-b.At, -1), 1)) })
	return list
}
