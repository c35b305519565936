package tables

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/monosim/monosim/runners/process"
)

// growth measures how the cost of simulating a cluster grows with the number of its agents. Each
// size is one `monosim sim` with a sample conf. It runs in a process of its own, so that its memory
// can be told apart. If another build of the program is given, it is measured beside this one.

// sample is a sample conf with the number of shards in the cluster that it configures.
type sample struct {
	version, conf string
	shards        int
}

// ofLarge is the number of replicas of a shard in the largest cluster: 500 shards of 20 replicas.
// Each shard has a part of the models, as in a real cluster of that size.
const (
	large   = 10_000
	ofLarge = 20
)

// shardsOf returns how many shards a cluster with the given number of agents has.
func (s sample) shardsOf(agents int) int {
	if agents >= large {
		return agents / ofLarge
	}
	return s.shards
}

var samples = []sample{{"v1", "agent.conf", 1}, {"v3", "unified.conf", 2}}

// startTime is how long a cluster is given to start, until everything in it is available. dayTime
// is the length of the day after that.
const (
	startTime = 10 * time.Minute
	dayTime   = 24 * time.Hour
)

// sizes lists the numbers of agents to measure. With full there are larger ones, for a machine with
// time to spare. Only version 3 is measured with 10,000 agents: no real cluster of version 1 could
// be that large (SCL-14.1).
func sizes(version string, full bool) (agents []int) {
	agents = []int{100, 200, 400}
	if full {
		agents = append(agents, 1000)
	}
	if full && version == "v3" {
		agents = append(agents, large)
	}
	return agents
}

// cost holds what a run took. Live and Stacks are bytes at the end of the run, 0 if the program
// does not report them. Peak is the peak memory of the run's process.
type cost struct {
	Wall, CPU          time.Duration
	Events, Reads      float64
	Live, Stacks, Peak float64
	agents, shards     float64
	failure            error
}

// growth is one table.
type growth struct {
	program, base string // build to compare with; "" if there is none
	full          bool
	limit         time.Duration // of one run
	progress      io.Writer
	verdicts      []goal
}

// goal is a row of the table of goals.
type goal struct {
	what, value, aim string
	reached          bool
}

// write measures every sample conf, and prints each row as soon as it is known.
func (g *growth) write(out io.Writer) error {
	for _, s := range samples {
		if err := g.sample(out, s); err != nil {
			return err
		}
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\ngoal\tmeasured\taim\t")
	for _, v := range g.verdicts {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", v.what, v.value, v.aim, map[bool]string{true: "reached", false: "missed"}[v.reached])
	}
	return w.Flush()
}

// sample measures and prints the rows of one sample conf.
func (g *growth) sample(out io.Writer, s sample) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\n%s, %s\twall\tprocessor\tevents\treads\tlive an agent\tstacks an agent\tpeak\tper agents: time\tlive\tto base: time\tpeak\t\n", s.version, s.conf)
	last := map[string]cost{}
	for _, agents := range sizes(s.version, g.full) {
		start := g.run(g.program, s, agents, startTime)
		day := g.run(g.program, s, agents, startTime+dayTime).after(start)
		base := map[string]cost{}
		if g.base != "" && agents <= 400 {
			base["start"] = g.run(g.base, s, agents, startTime)
			base["day"] = g.run(g.base, s, agents, startTime+dayTime).after(base["start"])
		}
		for _, row := range []struct {
			name string
			cost cost
		}{{"start", start}, {"day", day}} {
			name := fmt.Sprintf("%s of %d", row.name, agents)
			if shards := s.shardsOf(agents); shards != s.shards {
				name = fmt.Sprintf("%s in %d shards", name, shards)
			}
			fmt.Fprintf(w, "%s\t%s\n", name, row.cost.columns(last[row.name], base[row.name]))
			g.judge(s, row.name, row.cost, last[row.name])
			last[row.name] = row.cost
		}
		g.judgeSize(s, start, day, base["day"])
	}
	return w.Flush()
}

// columns formats the columns of a row: the cost, its growth compared with the smaller size in
// before, and its ratio to the other build in base.
func (c cost) columns(before, base cost) string {
	if c.failure != nil {
		return oneLine(c.failure) + "\t"
	}
	each := func(bytes float64) string { return fmt.Sprintf("%.1f KiB", bytes/c.agents/(1<<10)) }
	columns := []string{
		c.Wall.Round(time.Millisecond).String(), c.CPU.Round(time.Millisecond).String(), short(c.Events), short(c.Reads), each(c.Live), each(c.Stacks),
		fmt.Sprintf("%.0f MiB", c.Peak/(1<<20)), "", "", "", "",
	}
	if before.measured() && c.agents > before.agents && c.shards == before.shards {
		columns[7] = fmt.Sprintf("%.1fx of %.0fx", ratio(c.CPU, before.CPU), c.agents/before.agents)
		columns[8] = fmt.Sprintf("%.1fx", c.Live/before.Live)
	}
	if base.measured() {
		columns[9] = fmt.Sprintf("%.2fx", ratio(base.CPU, c.CPU))
		columns[10] = fmt.Sprintf("%.2fx", base.Peak/c.Peak)
	} else if base.failure != nil {
		columns[9] = "base: " + oneLine(base.failure)
	}
	return strings.Join(columns, "\t") + "\t"
}

func (c cost) measured() bool { return c.failure == nil && c.agents > 0 }

func ratio(a, b time.Duration) float64 {
	return float64(a) / max(float64(b), float64(time.Millisecond))
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// after subtracts the cost of the cluster's start, so that the cost of the day remains. Memory is
// not subtracted.
func (c cost) after(start cost) cost {
	c.failure = cmp.Or(c.failure, start.failure)
	c.Wall, c.CPU = max(c.Wall-start.Wall, 0), max(c.CPU-start.CPU, 0)
	c.Events, c.Reads = c.Events-start.Events, c.Reads-start.Reads
	return c
}

// run simulates a cluster for length of virtual time, in a process of its own.
func (g *growth) run(program string, s sample, agents int, length time.Duration) (c cost) {
	fmt.Fprintf(g.progress, "running %s: %s of %d agents for %v ...\n", filepath.Base(program), s.version, agents, length)
	shards := s.shardsOf(agents)
	c.agents, c.shards = float64(agents), float64(shards)
	dir, err := os.MkdirTemp("", "monosim-growth")
	if err != nil {
		c.failure = err
		return c
	}
	defer os.RemoveAll(dir)
	args := []string{
		"sim", "--conf", s.conf, "--models", "exported", "--shards", strconv.Itoa(shards), "--replicas", strconv.Itoa(agents / shards),
		"--for", length.String(), "--json",
	}
	told := filepath.Join(dir, "cost.json")
	if program == g.program {
		args = append(args, "--cost", told)
	}
	output, usage, err := g.execute(program, args)
	if err != nil {
		c.failure = err
		return c
	}
	c.CPU, c.Peak = usage.UserTime()+usage.SystemTime(), peakBytes(usage)
	c.failure = c.read(output, told)
	return c
}

// execute runs a program in the directory of the sample confs. It ends the program at the time
// limit.
func (g *growth) execute(program string, args []string) (output []byte, usage *os.ProcessState, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), g.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = filepath.Join("cmd", "monosim", "testdata")
	said := process.Tail{Max: 400}
	cmd.Stderr = &said
	process.DieWithParent(cmd)
	output, err = cmd.Output()
	switch {
	case ctx.Err() != nil:
		return nil, nil, fmt.Errorf("not finished after %v", g.limit)
	case err != nil:
		return nil, nil, fmt.Errorf("%w: %s", err, said.String())
	}
	return output, cmd.ProcessState, nil
}

// read fills in the cost from the report of a run. told names the file to which the run may have
// written its memory. If that file exists, read takes the memory from it.
func (c *cost) read(report []byte, told string) error {
	var r struct {
		WallSec float64 `json:"wall_s"`
		Counts  struct {
			Events   float64            `json:"events"`
			Requests map[string]float64 `json:"zookeeper_requests"`
		} `json:"counts"`
	}
	if err := json.Unmarshal(report, &r); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	c.Wall, c.Events = time.Duration(r.WallSec*float64(time.Second)), r.Counts.Events
	for op, n := range r.Counts.Requests {
		if strings.HasPrefix(op, "get") || op == "exists" {
			c.Reads += n
		}
	}
	text, err := os.ReadFile(told)
	if errors.Is(err, os.ErrNotExist) {
		return nil // of another build
	}
	if err != nil {
		return err
	}
	var memory struct {
		Live   float64 `json:"live_bytes"`
		Stacks float64 `json:"stack_bytes"`
	}
	if err := json.Unmarshal(text, &memory); err != nil {
		return fmt.Errorf("cost: %w", err)
	}
	c.Live, c.Stacks = memory.Live, memory.Stacks
	return nil
}

// These are goals of SCL-12: how many times as much processor time a cluster with twice as many
// agents may take. The ratio to another build is judged only if one is given.
const (
	mostStartGrowth = 4.5 // of a doubling
	mostDayGrowth   = 2.2 // largest factor by which a day may take longer with twice as many agents of version 3
)

// judge adds a goal that compares a row with the row of half as many agents: how much the cost
// grows when the agents double.
func (g *growth) judge(s sample, what string, c, before cost) {
	name := fmt.Sprintf("%s, %s of %.0f agents", s.version, what, c.agents)
	limit := map[string]float64{"start": mostStartGrowth, "day": mostDayGrowth}[what]
	switch {
	case c.failure != nil:
		g.verdicts = append(g.verdicts, goal{what: name, value: oneLine(c.failure), aim: "to finish"})
	case before.measured() && c.agents == 2*before.agents && (what == "start" || s.version == "v3"):
		g.atMost(name+", processor time of a doubling", "%.1fx", ratio(c.CPU, before.CPU), limit)
	}
}

func (g *growth) atMost(what, format string, value, limit float64) {
	g.verdicts = append(g.verdicts, goal{what, fmt.Sprintf(format, value), "<= " + fmt.Sprintf(format, limit), value <= limit})
}

func (g *growth) atLeast(what string, value, limit float64) {
	g.verdicts = append(g.verdicts, goal{what, fmt.Sprintf("%.0fx", value), fmt.Sprintf(">= %.0fx", limit), value >= limit})
}

// judgeSize adds the goals that concern one size alone, such as its speed and memory.
func (g *growth) judgeSize(s sample, start, day, baseDay cost) {
	if start.failure != nil || day.failure != nil {
		return
	}
	const mb = 1e6
	lives := day.Live + day.Stacks
	switch fmt.Sprintf("%s %.0f", s.version, day.agents) {
	case "v1 100":
		g.atLeast("v1, 100 agents, a day, of real time", ratio(dayTime, day.Wall), 15_000)
	case "v3 100":
		if baseDay.measured() {
			g.atLeast("v3, 100 agents, a day, of base", ratio(baseDay.CPU, day.CPU), 3)
		}
	case "v3 1000":
		hour := start.CPU + time.Duration(float64(day.CPU)*float64(time.Hour-startTime)/float64(dayTime))
		g.atMost("v3, 1,000 agents, the first hour, processor time", "%.1f s", hour.Seconds(), 8)
		g.atMost("v3, 1,000 agents, most memory of the start", "%.0f MB", start.Peak/mb, 150)
	case "v3 10000":
		g.atMost("v3, 10,000 agents, start and day", "%.0f s", (start.Wall + day.Wall).Seconds(), 600)
		g.atMost("v3, 10,000 agents, memory of one", "%.1f KiB", lives/day.agents/(1<<10), 30)
	case "v1 1000":
		g.atMost("v1, 1,000 agents, start", "%.0f s", start.Wall.Seconds(), 90)
		g.atMost("v1, 1,000 agents, a day", "%.0f s", day.Wall.Seconds(), 180)
		g.atMost("v1, 1,000 agents, memory", "%.0f MB", lives/mb, 300)
	}
}

// short formats a count with three digits and a unit: G, M or k.
func short(v float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, " G"}, {1e6, " M"}, {1e3, " k"}} {
		if v >= unit.size {
			return fmt.Sprintf("%.2f%s", v/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%.0f", v)
}
