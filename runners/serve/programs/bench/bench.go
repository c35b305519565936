package bench

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/monosim/monosim/runners/process"
	"github.com/monosim/monosim/runners/tfserving/bench"
)

// Options sets what a benchmark measures and for how long. Its targets apply to DefaultOptions.
type Options struct {
	// Program is monosim.
	Program string
	// Reference returns the command that starts the reference's agent. nil means that the reference
	// is not measured.
	Reference func(Place) (*exec.Cmd, error)
	// Replicas is the number of replicas that each agent watches.
	Replicas int
	// Rate is the number of requests per second during the latency measurement.
	Rate float64
	// Length is the length of one run. Rounds is the number of runs of each load. Only the median
	// of these runs counts.
	Length bench.Length
	Rounds int
	// Progress, if not nil, is called with each step before the step begins.
	Progress func(step string)
}

// DefaultOptions returns the options to which the targets apply.
func DefaultOptions() Options {
	return Options{Replicas: 1000, Rate: 10_000, Length: bench.Length{Warm: time.Second, For: 3 * time.Second}, Rounds: 3}
}

// Validate returns an error for options with which nothing can be measured.
func (o Options) Validate() error {
	switch {
	case o.Length.For <= 0:
		return fmt.Errorf("length: found %v, want one above 0", o.Length.For)
	case o.Rounds < 1:
		return fmt.Errorf("rounds: found %d, want at least 1", o.Rounds)
	case o.Replicas < 1:
		return fmt.Errorf("replicas: found %d, want at least 1", o.Replicas)
	case !(o.Rate > 0):
		return fmt.Errorf("rate: found %g, want one above 0", o.Rate)
	}
	return nil
}

// Steps returns the number of calls of Progress in a whole benchmark.
func (o Options) Steps() int {
	steps := 2 + 2*o.Rounds
	if o.Reference != nil {
		steps += 1 + o.Rounds
	}
	return steps
}

func (o Options) begin(format string, args ...any) {
	if o.Progress != nil {
		o.Progress(fmt.Sprintf(format, args...))
	}
}

// These are the targets and the load. The reference's agent and monosim's get the same number of
// connections and of requests in flight. Both have ten threads.
const (
	timesTheReference = 20
	latestMs          = 2
	mostMB            = 60
	conns             = 2
	window            = 10
)

// Run makes all measurements, one after another, and returns the report.
func Run(o Options) (*bench.Report, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o.begin("ZooKeeper with %d replicas", o.Replicas)
	zk, err := serveReplicas(o.Replicas)
	if err != nil {
		return nil, err
	}
	defer zk.Close()
	dir, err := os.MkdirTemp("", "agentbench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	call, err := heartBeat(o.Replicas)
	if err != nil {
		return nil, err
	}
	m := &measuring{Options: o, dir: dir, zooKeeper: zk.Addr(), call: call, report: &bench.Report{}}
	ours, err := m.ours()
	if err != nil {
		return nil, err
	}
	if o.Reference == nil {
		return m.report, nil
	}
	theirs, err := m.reference()
	if err != nil {
		return nil, fmt.Errorf("the reference: %w", err)
	}
	m.add(bench.Row{What: "ours over the reference's", Value: ours / theirs, Unit: "x", Aim: timesTheReference})
	return m.report, nil
}

// measuring holds the settings and results of one benchmark.
type measuring struct {
	Options
	dir, zooKeeper string
	call           bench.Call
	report         *bench.Report
}

func (m *measuring) add(rows ...bench.Row) { m.report.Rows = append(m.report.Rows, rows...) }

// with starts an agent, calls fn with it, and stops the agent.
func (m *measuring) with(name string, program func(Place) (*exec.Cmd, error), fn func(*agent) error) error {
	m.begin("start %s", name)
	p, err := furnish(filepath.Join(m.dir, name), m.Program, m.zooKeeper)
	if err != nil {
		return err
	}
	a, err := start(program, p, m.Replicas)
	if err != nil {
		return err
	}
	defer a.stop()
	return fn(a)
}

// ours measures monosim's agent, and returns its number of answers per second.
func (m *measuring) ours() (perSecond float64, err error) {
	program := func(p Place) (*exec.Cmd, error) {
		cmd := exec.Command(m.Program, append([]string{"agent", "--tfs_home=" + p.Home}, p.Flags...)...)
		cmd.Env, cmd.Dir = append(os.Environ(), p.Env...), p.Dir
		return cmd, nil
	}
	err = m.with("agent", program, func(a *agent) error {
		watching, err := process.Resident(a.cmd.Process.Pid)
		if err != nil {
			return err
		}
		if perSecond, err = m.rate("monosim agent", a); err != nil {
			return err
		}
		if err := m.latency(a); err != nil {
			return err
		}
		serving, err := process.Resident(a.cmd.Process.Pid)
		m.add(
			bench.Row{What: fmt.Sprintf("memory, watching %d replicas", m.Replicas), Value: megabytes(watching), Unit: "MB", Aim: mostMB, AtMost: true},
			bench.Row{What: "memory after all requests", Value: megabytes(serving), Unit: "MB", Aim: mostMB, AtMost: true})
		return err
	})
	return perSecond, err
}

func megabytes(n int64) float64 { return float64(n) / 1e6 }

// reference measures the reference's agent, and returns its number of answers per second.
func (m *measuring) reference() (perSecond float64, err error) {
	err = m.with("reference", m.Reference, func(a *agent) error {
		if perSecond, err = m.rate("the reference's agent", a); err != nil {
			return err
		}
		bytes, err := process.Resident(a.cmd.Process.Pid)
		m.add(bench.Row{What: "memory, the reference's agent", Value: megabytes(bytes), Unit: "MB"})
		return err
	})
	return perSecond, err
}

// rate sends requests without a pause. It measures how many an agent answers per second, and how
// much processor time the agent uses.
func (m *measuring) rate(name string, a *agent) (perSecond float64, err error) {
	var rates, micros []float64
	load := bench.Load{Call: m.call, Conns: conns, Window: window}
	for round := range m.Rounds {
		m.begin("%s, round %d", name, round+1)
		before, err := process.CPU(a.cmd.Process.Pid)
		if err != nil {
			return 0, err
		}
		measured, err := load.Run(a.addr, m.Length)
		if err != nil {
			return 0, err
		}
		after, err := process.CPU(a.cmd.Process.Pid)
		if err != nil {
			return 0, err
		}
		rates = append(rates, measured.PerSecond)
		micros = append(micros, float64((after-before).Microseconds())/float64(max(1, measured.Sent)))
	}
	perSecond = process.Median(rates)
	m.add(
		bench.Row{What: m.call.Name + ", " + name, Value: perSecond, Unit: "/s"},
		bench.Row{What: "processor time of each", Value: process.Median(micros), Unit: "us"})
	return perSecond, nil
}

// latency measures the delay of answers while requests come at Options.Rate.
func (m *measuring) latency(a *agent) error {
	load := bench.Load{Call: m.call, Conns: conns, Window: 100, Rate: m.Rate}
	var answered, late []float64
	for round := range m.Rounds {
		m.begin("%.0f a second, round %d", m.Rate, round+1)
		measured, err := load.Run(a.addr, m.Length)
		if err != nil {
			return err
		}
		answered = append(answered, measured.PerSecond)
		late = append(late, float64(measured.Latency.ValueAtQuantile(99))/float64(time.Millisecond))
	}
	if len(late) == 0 {
		return errors.New("no answer came")
	}
	m.add(
		bench.Row{What: fmt.Sprintf("99th percentile of how late they come at %.0f/s", m.Rate), Value: process.Median(late), Unit: "ms", Aim: latestMs, AtMost: true},
		bench.Row{What: "answered then", Value: process.Median(answered), Unit: "/s"})
	return nil
}
