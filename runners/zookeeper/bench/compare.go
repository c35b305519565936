package bench

import (
	"fmt"

	"github.com/monosim/monosim/runners/process"
)

// Options say how long a comparison is.
type Options struct {
	Length Length
	// Rounds is how often each load is run; the median counts. A round that does not
	// count comes before, so that compilers and caches are warm.
	Rounds int
	// Progress, when set, is told of each run before it begins.
	Progress func()
}

// Result is what was measured of the servers, in their order.
type Result struct {
	Servers []Measured
	Rows    []Row
	// Memory is what each server's process has at the end, in bytes.
	Memory []int64
}

// Measured says which server was measured.
type Measured struct {
	Name          string
	Real, Durable bool
}

// Row is the rates of one load.
type Row struct {
	Load      Load
	PerSecond []float64
}

// Compare runs all loads on all servers in turn (ZK-22.6). The error is that of the first
// run that fails.
func Compare(opt Options, servers ...*Server) (*Result, error) {
	loads := Loads()
	rates := make([][][]float64, len(loads)) // by load and server
	for i := range rates {
		rates[i] = make([][]float64, len(servers))
	}
	for round := range opt.Rounds + 1 {
		for i, load := range loads {
			for j, s := range servers {
				if opt.Progress != nil {
					opt.Progress()
				}
				rate, err := load.Run(s.Addr, opt.Length)
				if err != nil {
					return nil, fmt.Errorf("%s: %s: %w", s.Name, load, err)
				}
				if round > 0 {
					rates[i][j] = append(rates[i][j], rate)
				}
			}
		}
	}
	r := &Result{}
	for i, load := range loads {
		row := Row{Load: load}
		for j := range servers {
			row.PerSecond = append(row.PerSecond, process.Median(rates[i][j]))
		}
		r.Rows = append(r.Rows, row)
	}
	for _, s := range servers {
		bytes, err := process.Resident(s.PID)
		if err != nil {
			return nil, fmt.Errorf("memory of %s: %w", s.Name, err)
		}
		r.Servers = append(r.Servers, Measured{Name: s.Name, Real: s.Real, Durable: s.Durable})
		r.Memory = append(r.Memory, bytes)
	}
	return r, nil
}
