package judge

import (
	"slices"

	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// aroundIncident is how many of the slowest requests are traced around an incident.
const aroundIncident = 20

// Trace simulates again the requests that a plan asks to be traced, under the normal
// condition. It picks the window and replication with the highest p99.99 in the result. If
// there are too few requests for that, it uses p99 or the mean.
func Trace(p *plan.Plan, r *result.Result, t plan.Traced) (*model.Trace, error) {
	windows := p.Windows()
	among, requests := make([]int, 0, len(windows)), t.Slowest
	for k := range windows {
		among = append(among, k)
	}
	if t.Incident > 0 {
		among, requests = []int{p.WindowOf(t.Incident)}, aroundIncident
	}
	window, replication := slowest(r, windows, among)
	return model.Compile(p, Normal).Trace(window, replication, requests)
}

// slowest returns the window and the replication with the slowest requests.
func slowest(r *result.Result, windows []plan.Window, among []int) (window, replication int) {
	for _, metric := range []string{"p9999(request)", "p99(request)", "mean(request)"} {
		found, most := false, 0.0
		for _, k := range among {
			e := r.Find(metric, windows[k].Name)
			if e == nil || len(e.Values) == 0 {
				continue
			}
			if v := slices.Max(e.Values); !found || v > most {
				found, most = true, v
				window, replication = k, slices.Index(e.Values, v)
			}
		}
		if found {
			return window, replication
		}
	}
	return among[0], 0
}
