package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Traced is what of a run is written request by request: the slowest requests, or an event
// with what happened around it. One of the two is above 0.
type Traced struct {
	Slowest  int `json:"slowest,omitempty"`  // requests
	Incident int `json:"incident,omitempty"` // event, from 1
}

// mostTraced bounds how many requests a trace has.
const mostTraced = 1000

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
	case n < 1 || n > mostTraced:
		d.report(path, outOfRange, "trace: N of %q must be 1..%d", text, mostTraced)
	case word == "slowest":
		t.Slowest = n
	default:
		t.Incident = n
	}
}

// traces checks that what is to be traced is there, and is simulated.
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

// WindowOf is the window that has an event, from 1: the one around it, or else the first that
// its instant is in; -1 for none.
func (p *Plan) WindowOf(event int) int {
	windows := p.Windows()
	if i := slices.IndexFunc(windows, func(w Window) bool { return w.Incident == event }); i >= 0 {
		return i
	}
	at := Duration(p.Events[event-1].At)
	return slices.IndexFunc(windows, func(w Window) bool { return w.Start <= at && at < w.End })
}
