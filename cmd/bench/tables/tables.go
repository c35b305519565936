// Package tables prints what `go test -bench` measures of the engine, and how the cost of a
// cluster grows with its agents, each beside its goal.
//
// Two things to use first:
//
//   - [New] makes the command: `go run ./cmd/bench` for everything.
//   - Its flag --only selects the rows whose name has a word, or growth.
//
// The benchmarks themselves are beside the code that they measure. Where python3 can import
// simpy, its events per second stand beside ours, measured in the same run. To change
//
//   - which benchmarks are rows, and their goals: rows.go
//   - the sizes of growth and the goals of a whole cluster: growth.go
//
// Unstable: any commit may change it.
package tables

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/bench/program"
	"github.com/monosim/monosim/cmd/monosim/command"
)

// New makes the command that prints the tables of benchmarks and of growth.
func New() *cobra.Command {
	var only string
	var g growth
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the engine and how costs grow with agents, beside what is aimed at",
		Args:  command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkFlags(only, g.base, g.limit); err != nil {
				return command.BadInput(err)
			}
			g.progress = cmd.ErrOrStderr()
			if only != "growth" {
				if err := run(cmd.OutOrStdout(), g.progress, only); err != nil {
					return err
				}
			}
			if only != "" && only != "growth" {
				return nil
			}
			return grow(&g, cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVar(&only, "only", "", "run only the rows whose name contains this; growth for the tables of growth")
	f.BoolVar(&g.full, "full", false, "growth up to 1,000 and 10,000 agents too")
	f.StringVar(&g.base, "base", "", "another build of monosim, to measure growth beside")
	f.DurationVar(&g.limit, "limit", 30*time.Minute, "how long one run of a size may take")
	return cmd
}

// checkFlags returns an error for flags that make no sense, before anything is measured.
func checkFlags(only, base string, limit time.Duration) error {
	if limit <= 0 {
		return fmt.Errorf("--limit: found %v, want a time above 0", limit)
	}
	if base != "" {
		if info, err := os.Stat(base); err != nil {
			return fmt.Errorf("--base: %w", err)
		} else if info.IsDir() {
			return fmt.Errorf("--base: found the directory %s, want a program", base)
		}
	}
	if only == "growth" {
		return nil
	}
	for _, g := range groups {
		if len(g.matching(only)) > 0 {
			return nil
		}
	}
	return fmt.Errorf("--only: found no row with %q in its name, want growth or part of one", only)
}

// grow builds monosim, measures how its cost grows with a cluster's size, and prints the tables.
func grow(g *growth, out io.Writer) (err error) {
	if g.base != "" {
		if g.base, err = filepath.Abs(g.base); err != nil {
			return err
		}
	}
	built, remove, err := program.Build()
	if err != nil {
		return err
	}
	defer remove()
	g.program = built
	return g.write(out)
}

func run(out, progress io.Writer, only string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "what\tmeasured\taim\t\t")
	for _, g := range groups {
		rows := g.matching(only)
		if len(rows) == 0 {
			continue
		}
		fmt.Fprintf(progress, "running %s ...\n", g.name)
		values, err := g.measure()
		if err != nil {
			return err
		}
		for _, r := range rows {
			value, ok := values[key{r.benchmark, r.unit}]
			if !ok {
				return fmt.Errorf("%s: found no %s of %s in the output of go test", g.name, r.unit, r.benchmark)
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t\n", r.what, number(value, r.unit), r.aimText(), r.verdict(value))
		}
	}
	if strings.Contains("events/s of SimPy", only) {
		simpy(w, progress)
	}
	return w.Flush()
}

// key identifies one number that go test prints: a benchmark and a unit of it.
type key struct{ benchmark, unit string }

// measure runs the group's benchmarks with go test and returns their numbers.
func (g group) measure() (map[key]float64, error) {
	cmd := exec.Command("go", "test", "-run", "^$", "-bench", g.pattern, "-benchtime", g.benchtime, "-timeout", "30m", g.pkg)
	cmd.Env = append(os.Environ(), "GOGC=400")
	output, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, output)
	}
	return parse(output)
}

// parse reads benchmark lines such as "BenchmarkName/sub-8  10  12.5 ns/op  3 events/s".
func parse(output []byte) (map[key]float64, error) {
	values := map[key]float64{}
	lines := bufio.NewScanner(bytes.NewReader(output))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := fields[0]
		if i := strings.LastIndexByte(name, '-'); i > 0 {
			name = name[:i]
		}
		for i := 2; i+1 < len(fields); i += 2 {
			var v float64
			if _, err := fmt.Sscan(fields[i], &v); err != nil {
				return nil, fmt.Errorf("found %q in %q, want a number", fields[i], lines.Text())
			}
			values[key{name, fields[i+1]}] = v
		}
	}
	return values, lines.Err()
}

// simpyProgram is a Python program that counts the events of 100 processes which sleep in turn. It
// does the same work as BenchmarkTaskSwitch.
const simpyProgram = `
import time, simpy
env = simpy.Environment()
def sleeper(period):
    while True:
        yield env.timeout(period)
for i in range(100):
    env.process(sleeper(1000 + i * 7))
env.run(until=200_000)
start, n, until = time.perf_counter(), 0, 200_000
while time.perf_counter() - start < 2:
    until += 200_000
    env.run(until=until)
    n += sum(200_000 // (1000 + i * 7) for i in range(100))
print(n / (time.perf_counter() - start))
`

// simpy measures SimPy for comparison, where Python can import it.
func simpy(w, progress io.Writer) {
	if exec.Command("python3", "-c", "import simpy").Run() != nil {
		fmt.Fprintln(w, "events/s of SimPy\tnot installed\t\t\t")
		return
	}
	fmt.Fprintln(progress, "running SimPy ...")
	output, err := exec.Command("python3", "-c", simpyProgram).Output()
	var v float64
	if err == nil {
		_, err = fmt.Sscan(string(output), &v)
	}
	if err != nil {
		fmt.Fprintf(w, "events/s of SimPy\tfailed: %v\t\t\t\n", err)
		return
	}
	fmt.Fprintf(w, "events/s of SimPy, 100 processes\t%s\t\t\t\n", number(v, "events/s"))
}
