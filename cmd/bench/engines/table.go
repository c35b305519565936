package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/monosim/monosim/runners/process"
)

// report holds all results.
type report struct {
	Rounds int      `json:"rounds"`
	Rows   []row    `json:"rows"`
	Aims   []aimed  `json:"aims"`
	Absent []absent `json:"absent"`
}

// row holds the cost of an event on one engine. Best and Median are wall time. CPU is the median
// processor time over all threads. Engines are compared by CPU, because other load on the machine
// does not change it.
type row struct {
	Work    string  `json:"work"`
	Models  int     `json:"models"`
	Engine  string  `json:"engine"`
	Version string  `json:"version"`
	Best    float64 `json:"best_ns"`
	Median  float64 `json:"median_ns"`
	CPU     float64 `json:"cpu_ns"`
	// Ratio is this row's CPU divided by the CPU of our engine with event hashing on.
	Ratio float64 `json:"times_ours"`
	Note  string  `json:"note"`
}

// oddEvents is how far the number of events may differ from the wanted one, as a fraction, before
// the row mentions it. An engine that rounds delays handles somewhat more or fewer events.
const oddEvents = 0.03

func summarize(results []result, gone []absent, rounds int) report {
	r := report{Rounds: rounds, Rows: []row{}, Absent: append([]absent{}, gone...)}
	base := map[key]float64{}
	for _, result := range results {
		line := result.row()
		r.Rows = append(r.Rows, line)
		if result.engine == ours {
			base[result.key] = line.CPU
		}
	}
	for i := range r.Rows {
		line := &r.Rows[i]
		line.Ratio = line.CPU / base[key{line.Work, line.Models, ours}]
	}
	r.Aims = judge(r.Rows)
	return r
}

func (r result) row() row {
	var costs, cpu []float64
	events := 0
	for _, s := range r.samples {
		costs, cpu = append(costs, s.cost()), append(cpu, s.cpuCost())
		events = s.events
	}
	line := row{Work: r.work, Models: r.n, Engine: r.engine, Version: r.samples[0].version,
		Best: slices.Min(costs), Median: process.Median(costs), CPU: process.Median(cpu), Note: r.note}
	if math.Abs(float64(events)/float64(r.want)-1) > oddEvents {
		line.Note += fmt.Sprintf("; %d events in place of %d", events, r.want)
	}
	return line
}

func (r report) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for i, line := range r.Rows {
		if i == 0 || line.Work != r.Rows[i-1].Work || line.Models != r.Rows[i-1].Models {
			fmt.Fprintf(w, "\n%s, %d models\tversion\tns an event: best\tmedian\tcpu\ttimes ours\t\n", line.Work, line.Models)
		}
		fmt.Fprintf(w, "%s\t%s\t%.1f\t%.1f\t%.1f\t%.2f\t%s\n", line.Engine, line.Version, line.Best, line.Median, line.CPU, line.Ratio, line.Note)
	}
	for i, a := range r.Absent {
		if i == 0 {
			fmt.Fprintf(w, "\nabsent\twhy\n")
		}
		fmt.Fprintf(w, "%s\t%s\n", a.Engine, a.Why)
	}
	fmt.Fprintf(w, "\naim of ours\tfound\t\n")
	for _, a := range r.Aims {
		fmt.Fprintf(w, "%s, %d models: %s\t%s\t%s\n", a.Work, a.Models, a.Aim, a.Found, a.Verdict)
	}
	fmt.Fprintf(w, "\nratios and aims by the processors' time of the whole process; each on one thread; %d rounds; ours may use others for its garbage collector\n", r.Rounds)
	return w.Flush()
}
