package bench

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/monosim/monosim/runners/process"
)

// Options holds the settings of a benchmark. The aims in its report are meant for the settings of
// DefaultOptions.
type Options struct {
	// Program is the command line that starts the model server, without the flags that follow it.
	Program []string
	// Bare is the command line of a program that calls ServeBare, for comparison. nil means none.
	Bare []string
	// Length is the length of a single run. Rounds is how often each load is run, and the report
	// has the median of the rounds.
	Length Length
	Rounds int
	// Models is the number of models whose directories are polled each second. PollFor is how long
	// the cost of this polling is measured.
	Models  int
	PollFor time.Duration
	// IdleServers is the number of simulated servers that only poll. IdleFor is for how much
	// virtual time they do so.
	IdleServers int
	IdleFor     time.Duration
	// Progress, when set, is called before each step with its description.
	Progress func(step string)
}

// DefaultOptions returns the options that the aims apply to.
func DefaultOptions(program ...string) Options {
	return Options{
		Program: program,
		Length:  Length{Warm: time.Second, For: 3 * time.Second},
		Rounds:  3,
		Models:  1000, PollFor: 20 * time.Second,
		IdleServers: 10_000, IdleFor: 24 * time.Hour,
	}
}

// Validate returns an error for options with which nothing can be measured.
func (o Options) Validate() error {
	switch {
	case o.Length.For <= 0 || o.PollFor <= 0 || o.IdleFor <= 0:
		return fmt.Errorf("lengths: found %v, %v and %v, want all above 0", o.Length.For, o.PollFor, o.IdleFor)
	case o.Rounds < 1:
		return fmt.Errorf("rounds: found %d, want at least 1", o.Rounds)
	case o.Models <= fewModels:
		return fmt.Errorf("models: found %d, want more than the %d of the server they are compared with", o.Models, fewModels)
	case o.IdleServers < 1:
		return fmt.Errorf("servers: found %d, want at least 1", o.IdleServers)
	}
	return nil
}

// Steps returns how often Progress is called.
func (o Options) Steps() int {
	const calls, starts, lasting = 2, 2, 2
	servers := 1
	if o.Bare != nil {
		servers = 2
	}
	return starts + calls*(servers*o.Rounds+1) + lasting
}

// fewModels is the number of models on the server that gets requests. Each load uses conns
// connections with window requests in flight, enough to keep two processors busy.
const (
	fewModels = 8
	conns     = 2
	window    = 100
)

// noModelTime makes models answer at once. The benchmark measures the server's own work, and the
// time of a simulated model is only waiting.
const noModelTime = "--monosim_predict_time=0s"

// Run runs all measurements one after another.
func Run(opt Options) (*Report, error) {
	r := &Report{}
	few, err := r.requests(opt)
	if err != nil {
		return nil, err
	}
	if err := r.models(opt, few); err != nil {
		return nil, err
	}
	return r, r.idle(opt)
}

func (o Options) begin(format string, args ...any) {
	if o.Progress != nil {
		o.Progress(fmt.Sprintf(format, args...))
	}
}

// requests measures GetModelStatus and Predict on a server with few models. It returns the
// server's memory before these calls, in bytes.
func (r *Report) requests(opt Options) (residentBytes int64, err error) {
	opt.begin("start with %d models", fewModels)
	server, err := Start(opt.Program, fewModels, noModelTime)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	if residentBytes, err = process.Resident(server.PID); err != nil {
		return 0, err
	}
	var alone *Server
	if opt.Bare != nil {
		if alone, err = StartBare(opt.Bare); err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, alone.Close()) }()
	}
	for _, one := range []struct {
		make      func(models int) (Call, error)
		aim, late float64
	}{{statusCall, 200_000, 25_000}, {predictCall, 100_000, 15_000}} {
		call, err := one.make(fewModels)
		if err != nil {
			return 0, err
		}
		ofAlone, err := one.make(fewModels) // the second server gives other answers, so its own have to be made
		if err != nil {
			return 0, err
		}
		if err := r.call(opt, server, call, alone, ofAlone, one.aim); err != nil {
			return 0, err
		}
		if err := r.latency(opt, server, Load{Call: call, Conns: conns, Window: window, Rate: one.late}); err != nil {
			return 0, err
		}
	}
	return residentBytes, nil
}

// aimOfBare is the aim for the server's processor time per call, relative to grpc-go alone.
// Unlike a rate, this ratio hardly depends on other load of the machine.
const aimOfBare = 1.05

// call measures the rate and the processor time of a call on the server. Unless alone is
// nil, it also measures a server that only answers, to show whether grpc-go can reach the
// aim at all.
func (r *Report) call(opt Options, server *Server, call Call, alone *Server, ofAlone Call, aim float64) error {
	load := Load{Call: call, Conns: conns, Window: window}
	loadAlone := Load{Call: ofAlone, Conns: conns, Window: window}
	var ours, bare measured
	for round := range opt.Rounds {
		opt.begin("%s, round %d", call.Name, round+1)
		if err := ours.measure(server, load, opt.Length); err != nil {
			return err
		}
		if alone == nil {
			continue
		}
		opt.begin("%s, round %d, grpc-go alone", call.Name, round+1)
		if err := bare.measure(alone, loadAlone, opt.Length); err != nil {
			return fmt.Errorf("grpc-go alone: %w", err)
		}
	}
	rate := Row{What: call.Name, Value: process.Median(ours.rates), Unit: "/s", Aim: aim}
	foretold := Row{What: call.Name + ", foretold for two processors with nothing else to do", Value: ours.foretold(), Unit: "/s", Aim: aim}
	if alone != nil {
		rate.limitedBy(process.Median(bare.rates))
		foretold.limitedBy(bare.foretold())
	}
	r.add(rate, foretold, Row{What: call.Name + ", processor time of the server", Value: process.Median(ours.micros), Unit: "us"})
	if alone != nil {
		r.add(Row{What: call.Name + ", grpc-go alone", Value: process.Median(bare.rates), Unit: "/s"},
			Row{What: call.Name + ", foretold for grpc-go alone", Value: bare.foretold(), Unit: "/s"},
			Row{What: call.Name + ", processor time of grpc-go alone", Value: process.Median(bare.micros), Unit: "us"},
			Row{What: call.Name + ", processor time over that of grpc-go alone", Value: process.Median(ours.micros) / process.Median(bare.micros), Unit: "x", Aim: aimOfBare, AtMost: true})
	}
	return nil
}

// limitedBy adds a note to a missed aim if grpc-go alone misses it, too.
func (r *Row) limitedBy(alone float64) {
	if r.Missed() && alone < r.Aim {
		r.Note = "by grpc-go alone too"
	}
}

// measured holds the results of all rounds of one call: calls per second, and the server's
// and the client's processor time per call in microseconds.
type measured struct{ rates, micros, client []float64 }

// foretold returns the call rate at which client and server together would fully use two
// processors.
func (m *measured) foretold() float64 {
	const processors, second = 2, 1e6
	return processors * second / (process.Median(m.micros) + process.Median(m.client))
}

// latency measures the latency of answers to requests that are sent at a fixed rate.
func (r *Report) latency(opt Options, server *Server, load Load) error {
	opt.begin("%s, %.0f a second", load.Call.Name, load.Rate)
	m, err := load.Run(server.Addr, opt.Length)
	if err != nil {
		return err
	}
	for _, quantile := range []float64{50, 99} {
		r.add(Row{
			What:  fmt.Sprintf("%s, latency at %.0f/s, p%.0f", load.Call.Name, load.Rate, quantile),
			Value: float64(m.Latency.ValueAtQuantile(quantile)) / float64(time.Millisecond), Unit: "ms",
		})
	}
	return nil
}

// measure adds a round.
func (m *measured) measure(s *Server, load Load, length Length) error {
	pids := []int{s.PID, os.Getpid()}
	var took [2]time.Duration
	for i, pid := range pids {
		cpu, err := process.CPU(pid)
		if err != nil {
			return err
		}
		took[i] = -cpu
	}
	result, err := load.Run(s.Addr, length)
	if err != nil {
		return err
	}
	for i, pid := range pids {
		cpu, err := process.CPU(pid)
		if err != nil {
			return err
		}
		took[i] += cpu
	}
	each := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(result.Sent) }
	m.rates, m.micros, m.client = append(m.rates, result.PerSecond), append(m.micros, each(took[0])), append(m.client, each(took[1]))
	return nil
}

// pollSpeed is how much faster than the clock the server with many models runs, because it
// loads only ten models a second (TFS-4.2). Its poll interval is longer by the same factor,
// so that it polls once a second of wall time.
const pollSpeed = 20

// models measures the memory of one model, from the difference to a server with few models,
// and the cost of polling all models once.
func (r *Report) models(opt Options, fewBytes int64) (err error) {
	opt.begin("start with %d models", opt.Models)
	server, err := Start(opt.Program, opt.Models,
		fmt.Sprintf("--monosim_speed=%d", pollSpeed), fmt.Sprintf("--file_system_poll_wait_seconds=%d", pollSpeed))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	opt.begin("poll %d models for %v", opt.Models, opt.PollFor)
	percent, err := server.idlePercent(opt.PollFor)
	if err != nil {
		return err
	}
	bytes, err := process.Resident(server.PID)
	if err != nil {
		return err
	}
	r.add(Row{
		What:  "memory of a loaded model",
		Value: float64(bytes-fewBytes) / float64(opt.Models-fewModels) / (1 << 10), Unit: "KiB", Aim: 64, AtMost: true,
	}, Row{
		What:  fmt.Sprintf("%d models polled each second", opt.Models),
		Value: percent, Unit: "% of a core", Aim: 5, AtMost: true,
	})
	return nil
}

// idlePercent returns the share of one processor, in percent, that the server uses during d
// without any requests.
func (s *Server) idlePercent(d time.Duration) (float64, error) {
	before, err := process.CPU(s.PID)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	select {
	case <-time.After(d):
	case <-s.ended:
		return 0, errEnded
	}
	took := time.Since(began)
	after, err := process.CPU(s.PID)
	return 100 * (after - before).Seconds() / took.Seconds(), err
}

// idle measures, in this process, simulated servers that poll in virtual time.
func (r *Report) idle(opt Options) error {
	opt.begin("%d servers poll for %v in virtual time", opt.IdleServers, opt.IdleFor)
	result, err := Idle{Servers: opt.IdleServers, For: opt.IdleFor}.Run()
	if err != nil {
		return err
	}
	r.add(Row{
		What:  fmt.Sprintf("%d servers idle for %v of virtual time", opt.IdleServers, opt.IdleFor),
		Value: result.Took().Seconds(), Unit: "s", Aim: 60, AtMost: true,
	})
	return nil
}
