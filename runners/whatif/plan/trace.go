package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Traced names the requests to trace: the slowest requests, or those around an event. One of
// its fields is above 0.
type Traced struct {
	Slowest  int `json:"slowest,omitempty"`  // number of requests
	Incident int `json:"incident,omitempty"` // number of the event, from 1
}

// maxTraced is the largest number of requests in a trace.
const maxTraced = 1000

func (t Traced) String() string {
	if t.Incident > 0 {
		return fmt.Sprintf("incident %d", t.Incident)
	}
	return fmt.Sprintf("slowest %d", t.Slowest)
}

func (t *Traced) decodeText(d *decoder, text, path string) {
	word, digits, _ := strings.Cut(text, " ")
	n, err := strconv.Atoi(strings.TrimSpace(digits))
	switch {
	case err != nil || word != "slowest" && word != "incident":
		d.report(path, unknownName, "trace: found %q, want slowest N or incident N%s", text, Nearest(word, []string{"slowest", "incident"}))
	case n < 1 || n > maxTraced:
		d.report(path, outOfRange, "trace: N of %q must be 1..%d", text, maxTraced)
	case word == "slowest":
		t.Slowest = n
	default:
		t.Incident = n
	}
}

// traces checks that events which should be traced exist and are simulated.
func (d *decoder) traces(p *Plan) {
	for i, t := range p.Report.Trace {
		path := fmt.Sprintf("report.trace.%d", i)
		switch {
		case t.Incident > len(p.Events):
			d.report(path, unknownName, "trace: found incident %d, there are %d events", t.Incident, len(p.Events))
		case t.Incident > 0 && p.WindowOf(t.Incident) < 0:
			d.reportBoth(path, "workload.detail.windows", conflict, "trace: no window has incident %d, %s; workload.detail.windows wants each incident -10s..+60s", t.Incident, p.Events[t.Incident-1].Label())
		}
	}
}

// WindowOf returns the index of the window for an event, given by its number from 1. That is
// the window around the event, or else the first window that contains its instant, or else
// -1.
func (p *Plan) WindowOf(event int) int {
	windows := p.Windows()
	if i := slices.IndexFunc(windows, func(w Window) bool { return w.Incident == event }); i >= 0 {
		return i
	}
	at := Duration(p.Events[event-1].At)
	return slices.IndexFunc(windows, func(w Window) bool { return w.Start <= at && at < w.End })
}
