package whatif

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// Print writes the report for a person.
func (r *Report) Print(out io.Writer) {
	fmt.Fprintf(out, "%s: %d shards x %d replicas, agent version %d, %s, %s, quirks %s, seed %d\n",
		r.Conf, r.Shards, r.Replicas, r.Version, r.ZooKeeper, r.ModelServer, r.Quirks, r.Seed)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	r.printTimeline(w)
	r.printServices(w)
	r.printCounts(w)
	w.Flush()
	if r.Failure != "" {
		fmt.Fprintf(out, "\nthe run broke off: %s\n", r.Failure)
	}
	ratio := ""
	if r.WallSec > 0 {
		ratio = fmt.Sprintf(" (%sx)", grouped(uint64(r.VirtualSec/r.WallSec)))
	}
	fmt.Fprintf(out, "\n%s virtual in %.3fs wall%s, trace %s\n", span(r.VirtualSec), r.WallSec, ratio, r.Trace)
}

func (r *Report) printTimeline(w io.Writer) {
	fmt.Fprintf(w, "\nstart-up\tfirst\tlast\tpods\n")
	for _, s := range r.Startup {
		again := ""
		if s.Times > s.Pods && s.What == stepAgent {
			again = fmt.Sprintf("%d starts in all", s.Times)
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%d\t%s\n", s.What, at(s.First), at(s.Last), s.Pods, again)
	}
	if len(r.Models)+len(r.Missing) > 0 {
		fmt.Fprintf(w, "\navailable\tfirst\tlast\tpods\n")
		for _, m := range r.Models {
			fmt.Fprintf(w, "  %s\t%s\t%s\t%d\n", m.Model, at(m.First), at(m.Last), m.Pods)
		}
	}
	for _, name := range r.Missing {
		fmt.Fprintf(w, "  %s\tnever\t\t0\n", name)
	}
	if len(r.Exits) > 0 {
		fmt.Fprintf(w, "\nprocesses that ended\t%d\n", r.ExitsTotal)
		for _, e := range r.Exits {
			fmt.Fprintf(w, "  %s\t%s\t%s\n", at(e.AtSeconds), e.Pod, e.What)
		}
		more(w, r.ExitsTotal, len(r.Exits))
	}
	if len(r.Errors) > 0 {
		fmt.Fprintf(w, "\nerrors in the agents' logs and model servers\n")
		for _, e := range r.Errors {
			fmt.Fprintf(w, "  %s\t%d times, %d pods\t%s\n", at(e.First), e.Times, e.Pods, oneLine(e.Text))
		}
	}
}

func more(w io.Writer, total, shown int) {
	if total > shown {
		fmt.Fprintf(w, "  ...\t%d more\n", total-shown)
	}
}

func (r *Report) printServices(w io.Writer) {
	if r.Asked == "" {
		fmt.Fprintf(w, "\nservice map: no agent runs that could be asked\n")
		return
	}
	fmt.Fprintf(w, "\nservice map at the end, as %s answers\n", r.Asked)
	if len(r.ServiceMap) == 0 {
		fmt.Fprintf(w, "  (empty)\n")
	}
	const maxAddrs = 4
	for _, e := range r.ServiceMap {
		list := strings.Join(e.Addrs[:min(len(e.Addrs), maxAddrs)], " ")
		if len(e.Addrs) > maxAddrs {
			list += fmt.Sprintf(" and %d more", len(e.Addrs)-maxAddrs)
		}
		fmt.Fprintf(w, "  %s\t%s\n", e.Key, list)
	}
}

func (r *Report) printCounts(w io.Writer) {
	fmt.Fprintf(w, "\ncounts\n")
	for _, line := range r.Counts.Lines(grouped) {
		fmt.Fprintf(w, "  %s\t%s\n", line.Name, line.Text)
	}
}

// grouped writes a number with commas.
func grouped(n uint64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// at is an instant as t+11.000s.
func at(seconds float64) string { return fmt.Sprintf("t+%.3fs", seconds) }

func span(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Millisecond).String()
}

func oneLine(text string) string {
	const longest = 160
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > longest {
		text = text[:longest] + "..."
	}
	return text
}
