package sim

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/operator"
	"github.com/monosim/monosim/runners/test/simrun"
	"github.com/monosim/monosim/sim/fault"
)

// Done is the outcome of one act of the script.
type Done struct {
	AtSeconds float64 `json:"at_s"`
	// TookSeconds is the virtual time that the act took.
	TookSeconds float64 `json:"took_s"`
	// UntilSeconds is when the fault that this act began was over, or when the run ended. It is
	// 0 for an act that begins no lasting fault.
	UntilSeconds float64 `json:"until_s,omitempty"`
	What         string  `json:"what"`
	Error        string  `json:"error,omitempty"`
}

// Script sets the acts that the run performs at their times. An act that fails is noted in
// the report and does not stop the run.
func (c *Cluster) Script(acts []runners.Act) { c.script = acts }

// acts returns the acts of the script and the publishing of the models, sorted by time.
func (c *Cluster) acts() []runners.Act {
	acts := slices.Clone(c.script)
	if c.publishes() && c.options.PublishAfter < c.options.For {
		acts = append(acts, runners.Act{At: c.options.PublishAfter, Text: "every model is declared and published", Do: c.publish})
	}
	slices.SortStableFunc(acts, func(a, b runners.Act) int { return int(a.At - b.At) })
	return acts
}

// run is a running cluster together with everything that observes it.
type run struct {
	*simrun.Cluster
	story   *story
	pace    *pace
	samples *samples
}

// live starts the cluster, performs the acts, and passes the rest of the time.
func (r *run) live(ctx context.Context, acts []runners.Act, until time.Duration) error {
	if err := r.Start(); err != nil {
		return err
	}
	for _, act := range acts {
		if err := r.pass(ctx, act.At); err != nil {
			return err
		}
		if err := r.do(act); err != nil {
			return err
		}
	}
	return r.pass(ctx, until)
}

// do performs an act and records its outcome. A failed act is only recorded, but a broken
// cluster is returned as an error.
func (r *run) do(act runners.Act) error {
	began := r.Now()
	r.story.done = append(r.story.done, Done{AtSeconds: began.Seconds(), What: act.Text})
	err := act.Do(r)
	done := &r.story.done[len(r.story.done)-1]
	done.TookSeconds = (r.Now() - began).Seconds()
	if broken := r.Failure(); broken != "" {
		r.story.done = r.story.done[:len(r.story.done)-1]
		return fmt.Errorf("%s: %s", act.Text, broken)
	}
	if err != nil {
		done.Error = err.Error()
	}
	return nil
}

// pass lets virtual time pass up to the instant until, and takes the samples that fall due on the
// way.
func (r *run) pass(ctx context.Context, until time.Duration) error {
	for now := r.Now(); now < until; now = r.Now() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := r.pace.step(min(until, r.samples.next) - now); err != nil {
			return err
		}
		r.samples.take(r)
	}
	return nil
}

// ExportVersion exports a version and records the time, from which its roll-out is measured.
func (r *run) ExportVersion(basePath string, version, sizeBytes int64) error {
	r.story.exported[fmt.Sprintf("%s/%d", basePath, version)] = r.Now()
	return r.Cluster.ExportVersion(basePath, version, sizeBytes)
}

// Publish publishes sub-graphs and records the time of each one's first publishing, from
// which roll-outs are measured.
func (r *run) Publish(layout, model string, subGraphs ...string) error {
	for _, g := range subGraphs {
		if _, before := r.story.published[model+":"+g]; !before {
			r.story.published[model+":"+g] = r.Now()
		}
	}
	return r.Cluster.Publish(layout, model, subGraphs...)
}

// lasting is a fault that has begun and not ended. act is the index of its act in
// story.done. ends is when it will end by itself, 0 if it does not.
type lasting struct {
	act  int
	ends time.Duration
}

func keyOf(f runners.Fault) string { return f.Kind + " " + operator.Hit(f) }

// BeginFault begins a fault. If its kind has an end, the fault is recorded as lasting.
func (r *run) BeginFault(f runners.Fault) error {
	r.story.over(keyOf(f), r.Now())
	if k, err := fault.Find(f.Kind); err == nil && k.End != nil {
		r.story.faults[keyOf(f)] = &lasting{act: len(r.story.done) - 1}
	}
	return r.Cluster.BeginFault(f)
}

// EndFault ends a fault and records the time in the act that began it.
func (r *run) EndFault(f runners.Fault) error {
	r.story.over(keyOf(f), r.Now())
	return r.Cluster.EndFault(f)
}

// EndFaultAfter schedules the end of a fault after d, and records that time.
func (r *run) EndFaultAfter(f runners.Fault, d time.Duration) error {
	if l := r.story.faults[keyOf(f)]; l != nil {
		l.ends = r.Now() + d
	}
	return r.Cluster.EndFaultAfter(f, d)
}

// over records the end of a lasting fault: the earlier of now and the time at which it ended
// by itself.
func (s *story) over(key string, now time.Duration) {
	l := s.faults[key]
	if l == nil {
		return
	}
	delete(s.faults, key)
	if l.ends > 0 {
		now = min(l.ends, now)
	}
	s.done[l.act].UntilSeconds = max(s.done[l.act].UntilSeconds, now.Seconds())
}

// acts returns the outcomes of all acts. Faults that still last are recorded as ended with
// the run.
func (s *story) acts(now time.Duration) []Done {
	for key := range s.faults { //lint:order each changes its own act
		s.over(key, now)
	}
	return s.done
}
