package bench

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// The aims, against the real server: rates with several connections, and memory.
const (
	aimRate   = 2.0
	aimMemory = 0.25
)

// Write prints the table. Without the real server there is nothing to compare with.
func (r *Result) Write(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\t")
	for i, name := range r.Servers {
		fmt.Fprintf(w, "%s\t", name)
		if i > 0 && r.Compared {
			fmt.Fprint(w, "ratio\taim\t")
		}
	}
	fmt.Fprintln(w)
	for _, row := range r.Rows {
		fmt.Fprintf(w, "%s\t", row.Load)
		for i, rate := range row.PerSecond {
			fmt.Fprintf(w, "%.1f k/s\t", rate/1e3)
			if i > 0 && r.Compared {
				ratio := rate / row.PerSecond[0]
				fmt.Fprintf(w, "%.1fx\t%s\t", ratio, verdict(row.Load.Conns > 1, ratio >= aimRate, ">= 2x"))
			}
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "memory afterwards\t")
	for i, bytes := range r.Memory {
		fmt.Fprintf(w, "%.0f MiB\t", float64(bytes)/(1<<20))
		if i > 0 && r.Compared {
			ratio := float64(bytes) / float64(r.Memory[0])
			fmt.Fprintf(w, "%.2fx\t%s\t", ratio, verdict(true, ratio <= aimMemory, "<= 0.25x"))
		}
	}
	fmt.Fprintln(w)
	return w.Flush()
}

func verdict(hasAim, reached bool, aim string) string {
	switch {
	case !hasAim:
		return ""
	case reached:
		return aim + ": reached"
	}
	return aim + ": missed"
}
