package bench

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/monosim/monosim/sim/zookeeper"
)

// These are the aims of a comparison with the real server of equal durability. They are for
// rates over several connections, for rates of durable creates over any number of
// connections, and for memory. aimSessions is absolute: the number of sessions whose memory
// has a limit.
const (
	aimRate           = 2.0
	aimDurableCreates = 10.0
	aimMemory         = 0.25
	aimSessions       = 100_000
	aimSessionsBytes  = 2 << 30
)

// Write prints the tables. Without a real server it leaves the comparisons out.
func (r *Result) Write(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\t")
	for i, s := range r.Servers {
		fmt.Fprintf(w, "%s\t", s.Name)
		for _, real := range r.against(i) {
			fmt.Fprintf(w, "to %s\t", r.Servers[real].Name)
			if r.aimed(i, real) {
				fmt.Fprint(w, "aim\t")
			}
		}
	}
	fmt.Fprintln(w)
	for _, row := range r.Rows {
		fmt.Fprintf(w, "%s\t", row.Load)
		for i, found := range row.Found {
			if found.PerSecond == 0 {
				fmt.Fprint(w, "\t")
				continue
			}
			fmt.Fprintf(w, "%.1f k/s\t", found.PerSecond/1e3)
			for _, real := range r.against(i) {
				ratio := found.PerSecond / row.Found[real].PerSecond
				fmt.Fprintf(w, "%.1fx\t", ratio)
				if r.aimed(i, real) {
					aim, has := row.Load.aim(r.Servers[i].Durable)
					fmt.Fprintf(w, "%s\t", verdict(has, ratio >= aim, fmt.Sprintf(">= %gx", aim)))
				}
			}
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "memory afterwards\t")
	for i, bytes := range r.Memory {
		fmt.Fprintf(w, "%.0f MiB\t", float64(bytes)/(1<<20))
		for _, real := range r.against(i) {
			ratio := float64(bytes) / float64(r.Memory[real])
			fmt.Fprintf(w, "%.2fx\t", ratio)
			if r.aimed(i, real) {
				fmt.Fprintf(w, "%s\t", verdict(true, ratio <= aimMemory, fmt.Sprintf("<= %gx", aimMemory)))
			}
		}
	}
	fmt.Fprintln(w)
	if err := w.Flush(); err != nil {
		return err
	}
	return r.writeCosts(out)
}

// writeCosts prints the processor time of a create for the durable servers and the bare one.
// With a real server it also prints the ratio of the times of server and client together.
// This ratio predicts the ratio of rates when the two keep all processors busy.
func (r *Result) writeCosts(out io.Writer) error {
	if len(r.Rows) == 0 || r.Rows[0].Found[0].Server == 0 {
		return nil
	}
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	real := slices.IndexFunc(r.Servers, func(s Measured) bool { return s.Real && s.Durable })
	fmt.Fprint(w, "processor time of a create, us\t")
	for i, s := range r.Servers {
		if s.Durable || s.Bare {
			fmt.Fprintf(w, "%s\tits client\t", s.Name)
			if real >= 0 && i != real {
				fmt.Fprint(w, "server alone to real\tforetold rate to real\taim\t")
			}
		}
	}
	fmt.Fprintln(w)
	for _, row := range r.Rows {
		if row.Load.Op != zookeeper.OpCreate {
			continue
		}
		fmt.Fprintf(w, "%s\t", row.Load)
		aim, _ := row.Load.aim(true)
		for i, s := range r.Servers {
			if !s.Durable && !s.Bare {
				continue
			}
			found := row.Found[i]
			fmt.Fprintf(w, "%.2f\t%.2f\t", found.Server, found.Client)
			if real >= 0 && i != real {
				of := row.Found[real]
				foretold := (of.Server + of.Client) / (found.Server + found.Client)
				fmt.Fprintf(w, "%.1fx\t%.1fx\t%s\t", of.Server/found.Server, foretold, verdict(true, foretold >= aim, fmt.Sprintf(">= %gx", aim)))
			}
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// against returns the indexes of the real servers to compare a simulated server with. A
// durable server is compared with both, and an in-memory server only with the real one
// without fsync.
func (r *Result) against(server int) (real []int) {
	for i, s := range r.Servers {
		if s.Real && !r.Servers[server].Real && !r.Servers[server].Bare && (!s.Durable || r.Servers[server].Durable) {
			real = append(real, i)
		}
	}
	return real
}

// aimed reports whether aims apply to a server and a real server: only if both are durable
// or neither is.
func (r *Result) aimed(server, real int) bool {
	return r.Servers[server].Durable == r.Servers[real].Durable
}

// aim returns the speed that a server should have at this load, as a multiple of the speed of the
// real server of equal durability. said is false if there is no aim for the load.
func (l Load) aim(durable bool) (times float64, said bool) {
	if durable && l.Op == zookeeper.OpCreate {
		return aimDurableCreates, true
	}
	return aimRate, l.Conns > 1
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

// Write prints the memory of the sessions, and a prediction for the number of sessions in
// the aim.
func (s *Sessions) Write(out io.Writer) error {
	if s.Count == 0 {
		return nil
	}
	const kib, mib = 1 << 10, 1 << 20
	need := s.Forecast(aimSessions)
	_, err := fmt.Fprintf(out, "\n%d connected sessions, each with an ephemeral znode and a watch: %.0f MiB, foretold by half of them %.0f, %.1f KiB a session; after an event to all %.0f MiB\n",
		s.Count, float64(s.Bytes)/mib, float64(s.FromHalf())/mib, float64(s.Bytes-s.Before)/float64(s.Count)/kib, float64(s.After)/mib)
	if err != nil {
		return err
	}
	why := ""
	if s.Count < aimSessions {
		limit := ""
		if s.Limited {
			limit = ", the limit of open files allows no more here"
		}
		why = fmt.Sprintf(" (foretold: %d were measured%s)", s.Count, limit)
	}
	_, err = fmt.Fprintf(out, "%d sessions: %.0f MiB%s  %s\n", aimSessions, float64(need)/mib, why,
		verdict(true, need <= aimSessionsBytes, fmt.Sprintf("<= %d MiB", aimSessionsBytes/mib)))
	return err
}
