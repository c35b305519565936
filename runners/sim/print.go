package sim

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/monosim/monosim/engine/lists"
)

// extent describes how many pods there are, as "2 shards x 3 replicas" or group by group.
func (r *Report) extent() string {
	if len(r.Groups) == 0 {
		return lists.Counted(r.Shards, "shard") + " x " + lists.Counted(r.Replicas, "replica")
	}
	var list []string
	for _, g := range r.Groups {
		list = append(list, fmt.Sprintf("%s %s x %s", g.Name, lists.Counted(g.Shards, "shard"), lists.Counted(g.Replicas, "replica")))
	}
	return strings.Join(list, ", ")
}

// Print writes the report as text for people.
func (r *Report) Print(out io.Writer) {
	fmt.Fprintf(out, "%s: %s, agent version %d, %s, %s, quirks %s, seed %d\n", r.Conf, r.extent(), r.Version, r.ZooKeeper, r.ModelServer, r.Quirks, r.Seed)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	r.printTimeline(w)
	r.printRollouts(w)
	r.printServices(w)
	r.printLoad(w)
	r.printMemory(w)
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

// grouped formats a number with commas.
func grouped(n uint64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// at formats an instant as t+11.000s.
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

// printLacking prints how many things are missing, and the names of the first ones.
func printLacking(w io.Writer, title string, list []string) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\t%d\n", title, len(list))
	for _, what := range list[:min(len(list), maxListed)] {
		fmt.Fprintf(w, "  %s\n", what)
	}
	more(w, len(list), min(len(list), maxListed))
}

func (r *Report) printRollouts(w io.Writer) {
	if len(r.Rollouts) > 0 {
		fmt.Fprintf(w, "\nroll-out\tsince\tlast pod\ttook\tpods\n")
	}
	for _, o := range r.Rollouts {
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%d of %d\n", o.Model, at(o.Since), at(o.Last), span(o.Took), o.Pods, o.Of)
	}
	printLacking(w, "not available at the end", r.Unavailable)
	printLacking(w, "served at the end, but not in the service map", r.Unlisted)
	if len(r.Acts) > 0 {
		fmt.Fprintf(w, "\nwhat was done\n")
	}
	for _, a := range r.Acts {
		outcome := ""
		if a.Error != "" {
			outcome = "failed: " + oneLine(a.Error)
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\n", at(a.AtSeconds), a.What, outcome)
	}
}

func (r *Report) printLoad(w io.Writer) {
	l := &r.Load
	extent := func(name string, e Extent, write func(int64) string) {
		fmt.Fprintf(w, "  %s\t%s\tat most %s\n", name, write(e.End), write(e.Most))
	}
	fmt.Fprintf(w, "\nload of ZooKeeper by pods\tat the end\n")
	count := func(n int64) string { return grouped(uint64(n)) }
	extent("watches held", l.Watches, count)
	extent("connections", l.Connections, count)
	extent("sessions", l.Sessions, count)
	extent("znodes", l.Znodes, count)
	extent("bytes of znodes", l.ZnodeBytes, size)
	fmt.Fprintf(w, "  requests\t%s\tat most %s in the second from %s\n", rate(l.Requests), grouped(l.Peak), at(l.PeakAt))
	fmt.Fprintf(w, "    by operation\t%s\n", rates(l.ByOp))
	fmt.Fprintf(w, "    by path\t%s\n", rates(l.ByPath))
	fmt.Fprintf(w, "    by pod\t%s\n", rates(l.ByPod))
	fmt.Fprintf(w, "  notifications\t%s\n", rate(l.Events))
	fmt.Fprintf(w, "  bytes\t%s/s in, %s/s out\n", size(int64(l.BytesIn)), size(int64(l.BytesOut)))
	fmt.Fprintf(w, "  the operator\t%s requests, %s in, %s out, in all\n", grouped(l.Operator.Requests), size(int64(l.Operator.BytesIn)), size(int64(l.Operator.BytesOut)))
}

func (r *Report) printMemory(w io.Writer) {
	if len(r.Load.Memory) == 0 {
		return
	}
	fmt.Fprintf(w, "\nmemory of model servers\tat the end\tat most\n")
	list := slices.Clone(r.Load.Memory)
	slices.SortStableFunc(list, func(a, b ServerMemory) int { return cmp.Compare(b.PeakBytes, a.PeakBytes) })
	shown := min(len(list), maxListed)
	for _, m := range list[:shown] {
		fmt.Fprintf(w, "  %s %s\t%s\t%s\n", m.Pod, m.Kind, size(m.end()), size(m.PeakBytes))
	}
	more(w, len(list), shown)
}

// rates formats the four highest rates and says how many more there are.
func rates(of map[string]float64) string {
	const most = 4
	names := byRate(of)
	parts := lists.MapOrNil(names[:min(len(names), most)], func(name string) string { return name + " " + rate(of[name]) })
	if n := len(names) - most; n > 0 {
		parts = append(parts, fmt.Sprintf("%d more", n))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// rate formats a number per second to three digits.
func rate(perSecond float64) string {
	if perSecond >= 1000 {
		return grouped(uint64(perSecond+0.5)) + "/s"
	}
	return strconv.FormatFloat(perSecond, 'g', 3, 64) + "/s"
}

// size formats a number of bytes to three digits.
func size(bytes int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	value, unit := float64(bytes), 0
	for value >= 1000 && unit < len(units)-1 {
		value /= 1024
		unit++
	}
	if value >= 100 || unit == 0 {
		return fmt.Sprintf("%.0f %s", value, units[unit])
	}
	return fmt.Sprintf("%.3g %s", value, units[unit])
}
