package bench

import (
	"fmt"

	"github.com/monosim/monosim/runners/process"
	"github.com/monosim/monosim/sim/zookeeper"
)

// Options sets how long a comparison runs.
type Options struct {
	Length Length
	// Rounds is how often each load runs. The result is the median of the rounds. One extra
	// round comes first as warm-up and is dropped.
	Rounds int
	// Progress, when set, is called before each run.
	Progress func()
}

// Result holds the measurements, in the order of the servers.
type Result struct {
	Servers []Measured
	Rows    []Row
	// Memory is the resident memory of each server's process at the end, in bytes.
	Memory []int64
}

// Measured is the name of a server that was measured, and what kind of server it is.
type Measured struct {
	Name          string
	Real, Durable bool
	Bare          bool
}

// Row holds the measurements of one load, by server.
type Row struct {
	Load Load
	// Found has a measurement for each server, in the order of Result.Servers. The zero value
	// stands for a server that did not get this load.
	Found []Measurement
}

// Compare runs all loads on all servers in turn (ZK-22.6). A bare server gets only the loads
// that create znodes. Compare returns the error of the first run that fails.
func Compare(opt Options, servers ...*Server) (*Result, error) {
	loads := Loads()
	found := make([][][]Measurement, len(loads)) // measurements by load and server
	for i := range found {
		found[i] = make([][]Measurement, len(servers))
	}
	for round := range opt.Rounds + 1 {
		for i, load := range loads {
			for j, s := range servers {
				if opt.Progress != nil {
					opt.Progress()
				}
				if s.Bare && load.Op != zookeeper.OpCreate {
					continue
				}
				m, err := load.Run(s.Addr, s.PID, opt.Length)
				if err != nil {
					return nil, fmt.Errorf("%s: %s: %w", s.Name, load, err)
				}
				if round > 0 {
					found[i][j] = append(found[i][j], m)
				}
			}
		}
	}
	r := &Result{}
	for i, load := range loads {
		row := Row{Load: load}
		for j := range servers {
			row.Found = append(row.Found, median(found[i][j]))
		}
		r.Rows = append(r.Rows, row)
	}
	for _, s := range servers {
		bytes, err := process.Resident(s.PID)
		if err != nil {
			return nil, fmt.Errorf("memory of %s: %w", s.Name, err)
		}
		r.Servers = append(r.Servers, Measured{Name: s.Name, Real: s.Real, Durable: s.Durable, Bare: s.Bare})
		r.Memory = append(r.Memory, bytes)
	}
	return r, nil
}

// median returns the median of each figure over the runs, the zero value without runs.
func median(runs []Measurement) Measurement {
	if len(runs) == 0 {
		return Measurement{}
	}
	of := func(figure func(*Measurement) float64) float64 {
		var list []float64
		for i := range runs {
			list = append(list, figure(&runs[i]))
		}
		return process.Median(list)
	}
	return Measurement{
		PerSecond: of(func(m *Measurement) float64 { return m.PerSecond }),
		Server:    of(func(m *Measurement) float64 { return m.Server }),
		Client:    of(func(m *Measurement) float64 { return m.Client }),
	}
}
