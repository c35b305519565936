package judge

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/outlook"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/quantity"
)

// TooLarge reports a plan whose simulation would take more memory than allowed. It returns
// the path in the plan that causes this and the reason, or two empty texts.
func (j *Judge) TooLarge(p *plan.Plan) (path, why string) {
	if j.MaxMemory <= 0 {
		return "", ""
	}
	spec := model.Compile(p, Normal)
	all, most := 0.0, model.Need{}
	add := func(n model.Need) {
		all += n.Bytes
		if n.Bytes > most.Bytes {
			most = n
		}
	}
	for _, n := range spec.Needs() {
		n.Bytes *= float64(j.workers())
		add(n)
	}
	kept := p.Budget.MinReplications * len(spec.Windows)
	add(model.Need{Path: "budget.min_replications", Bytes: float64(kept) * spec.KeptBytes(), For: fmt.Sprintf("%d samples, one for each of %d replications of %d windows,", kept, p.Budget.MinReplications, len(spec.Windows))})
	if all <= float64(j.MaxMemory) {
		return "", ""
	}
	return most.Path, fmt.Sprintf("found %s that would take about %s of memory, want at most %s (--max-memory)", most.For, bytesText(all), bytesText(float64(j.MaxMemory)))
}

// takesLong is the shortest expected wall time for which TakesLong gives a warning.
const takesLong = 30 * time.Second

// TakesLong says how long the minimum number of replications is expected to take, in wall time. It
// returns "" if that is less than takesLong.
func (j *Judge) TakesLong(p *plan.Plan) string {
	e := model.Compile(p, Normal).Expected()
	runs := float64(p.Budget.MinReplications)
	took := time.Duration(e.Seconds() * runs / float64(j.workers()) * 1e9)
	if took < takesLong {
		return ""
	}
	text := fmt.Sprintf("%d replications are about %s requests and %s calls", p.Budget.MinReplications, outlook.Count(e.Requests*runs), outlook.Count(e.Calls*runs))
	if e.Full != "" && p.Override.FetchPSRetry > 0 {
		text += fmt.Sprintf(", as %s is full and calls are repeated", e.Full)
	}
	text += fmt.Sprintf(", which take %s at the least", quantity.Text(quantity.Duration, float64(took), 3))
	if p.Budget.Wall > 0 && took > time.Duration(p.Budget.Wall) {
		text += fmt.Sprintf(", more than budget.wall %s: nothing will be decided", quantity.Format(quantity.Duration, float64(p.Budget.Wall)))
	}
	return text + "; shorter or fewer workload.detail.windows, workload.detail.thin or budget.requests make it shorter"
}

// Outgrown returns path and reason, as TooLarge does, for a simulation that ended with a
// [model.TooLargeError].
func (j *Judge) Outgrown(err *model.TooLargeError) (path, why string) {
	return "workload.rate", fmt.Sprintf("found %v, which took %s of memory, want at most %s (--max-memory): requests come faster than they are answered", err, bytesText(float64(err.Bytes)*float64(j.workers())), bytesText(float64(j.MaxMemory)))
}

func bytesText(v float64) string { return outlook.Bytes(int64(min(v, 1<<62))) }
