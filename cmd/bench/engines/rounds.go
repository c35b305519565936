package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
)

// sizes lists the numbers of models to measure with. Each number gets a run of its own.
var sizes = []int{100, 10_000}

// runLimit ends a run that hangs. It is far longer than any normal run takes.
const runLimit = 5 * time.Minute

// key identifies a row of the table: an engine, a kind of work, and n models.
type key struct {
	work   string
	n      int
	engine string
}

// sample holds what the program of one run printed, and the processor time that the run took.
type sample struct {
	version string
	events  int
	ns      float64
	// cpu is the processor time of the whole run in nanoseconds, including its start and its
	// warm-up.
	cpu float64
}

// warmUp is the number of events before measuring begins, as a share of the measured events.
const warmUp = 0.1

func (s sample) cost() float64    { return s.ns / float64(s.events) }
func (s sample) cpuCost() float64 { return s.cpu / (float64(s.events) * (1 + warmUp)) }

// result holds the samples of all runs of a row of the table.
type result struct {
	key
	note    string
	want    int // events
	samples []sample
}

// measure runs each kind of work on each engine, in rounds that each run everything once.
func measure(ctx context.Context, programs []built, o options, progress io.Writer) ([]result, error) {
	var results []result
	for _, work := range []string{callbacks, tasks} {
		for _, n := range sizes {
			for _, p := range programs {
				if p.does(work) {
					events := max(n, int(float64(p.events)*o.scale))
					results = append(results, result{key: key{work, n, p.name}, note: p.note, want: events})
				}
			}
		}
	}
	byName := lists.ToMap(programs, func(p built) (string, program) { return p.name, p.run })
	start := time.Now()
	for round := range o.rounds {
		fmt.Fprintf(progress, "round %d of %d, after %v\n", round+1, o.rounds, time.Since(start).Round(time.Second))
		for i := range results {
			r := &results[i]
			s, err := once(ctx, byName[r.engine], r.key, r.want)
			if err != nil {
				return nil, fmt.Errorf("%s, %s, %d: %w", r.engine, r.work, r.n, err)
			}
			r.samples = append(r.samples, s)
		}
	}
	return results, nil
}

// once runs an engine's program a single time and reads what it prints. A run that hangs is ended
// after runLimit.
func once(ctx context.Context, run program, k key, events int) (sample, error) {
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	cmd := run(ctx, k.work, k.n, events)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	output, err := cmd.Output()
	if err != nil {
		return sample{}, fmt.Errorf("%s: %s", filepath.Base(cmd.Path), firstError(stderr.Bytes(), err))
	}
	s, err := parse(output)
	s.cpu = float64((cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Nanoseconds())
	return s, err
}

// parse finds the line "measured version=1.0 events=2000 ns=123456" in the output of a run.
func parse(output []byte) (sample, error) {
	lines := bufio.NewScanner(bytes.NewReader(output))
	for lines.Scan() {
		fields, ok := strings.CutPrefix(lines.Text(), "measured ")
		if !ok {
			continue
		}
		var s sample
		if _, err := fmt.Sscanf(fields, "version=%s events=%d ns=%f", &s.version, &s.events, &s.ns); err != nil {
			return s, fmt.Errorf("found %q, want measured version=VERSION events=NUMBER ns=NUMBER", lines.Text())
		}
		if s.events <= 0 || s.ns <= 0 {
			return s, fmt.Errorf("found %q, want events and time above 0", lines.Text())
		}
		return s, nil
	}
	return sample{}, fmt.Errorf("found no line that begins with measured in %q", output)
}
