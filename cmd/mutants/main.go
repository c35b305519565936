// Command mutants changes the agents, or the training side, in thousands of small ways, one at a time, and checks
// whether the vectors, the scenarios, the tests or the invariants of explored worlds notice. A change that nothing notices is
// a place where nothing holds the port to the reference.
//
//	go run ./cmd/mutants                                  all mutants
//	go run ./cmd/mutants -sample 300 -seed 7              a random sample
//	go run ./cmd/mutants engine/agent/zkmirror            those of a folder, a file or FILE:LINE
//	go run ./cmd/mutants -sample 40 engine/training       a sample of the training side
//	go run ./cmd/mutants -list engine/agent/zkmirror      print them, run nothing
//	go run ./cmd/mutants -unseen                          print those that nothing reaches, in minutes
//
// All mutants are in one build, each behind a switch that the environment sets by its
// number, so that nothing is compiled again. A first pass notes which suites, features, tests and
// explored worlds reach which mutants. Each mutant is then run by those that reach it, worlds last,
// until one fails or does not end. The exit code is 0 when at least nine in ten are killed, 1 when
// fewer are or an entry of equivalent.yaml no longer holds, and 2 when nothing could be
// run. Unix only: endless mutants are stopped by a limit of the process.
//
// Two things to read first: [finder.look] decides which mutants there are, and [try] runs
// one. To change
//
//   - an operator: expressions.go, statements.go or constants.go
//   - what a switch does at run time: switches.txt
//   - which mutants count as having no effect, and why: equivalent.yaml
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/monosim/monosim/engine/lists"
)

// Exit codes of the command.
const (
	exitKilled   = 0
	exitSurvived = 1
	exitFailed   = 2
)

// options holds the flags.
type options struct {
	sample int
	seed   uint64
	json   bool
	list   bool
	unseen bool
	places []string // paths from the root of the module, or file:line; all when empty
}

func main() {
	var o options
	flag.IntVar(&o.sample, "sample", 0, "how many mutants to run, drawn at random; 0 for all")
	flag.Uint64Var(&o.seed, "seed", 1, "what the sample is drawn by")
	flag.BoolVar(&o.json, "json", false, "print JSON instead of text")
	flag.BoolVar(&o.list, "list", false, "print the mutants and run nothing")
	flag.BoolVar(&o.unseen, "unseen", false, "print the mutants to which nothing would see a difference, and run none")
	flag.Parse()
	o.places = flag.Args()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code, err := run(ctx, o, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
	}
	os.Exit(code)
}

// run measures the mutants as the options say, and returns the exit code.
func run(ctx context.Context, o options, out io.Writer) (int, error) {
	begun := time.Now()
	root, err := os.Getwd()
	if err != nil {
		return exitFailed, err
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return exitFailed, err
	}
	defer os.RemoveAll(dir)
	of, err := sideOf(o.places)
	if err != nil {
		return exitFailed, err
	}
	reasons, err := readEquivalents(filepath.Join(root, filepath.FromSlash(equivalentFile)), of)
	if err != nil {
		return exitFailed, err
	}
	s, err := instrument(of, root, dir)
	if err != nil {
		return exitFailed, err
	}
	chosen, err := o.choose(s.found.compiled())
	switch {
	case err != nil:
		return exitFailed, err
	case o.list:
		return exitKilled, o.write(out, chosen)
	}
	parts, err := s.look(ctx, len(chosen))
	switch {
	case err != nil:
		return exitFailed, err
	case o.unseen:
		return exitKilled, o.write(out, unseen(chosen, parts))
	}
	verdicts, err := judge(ctx, chosen, parts, func(v verdict) {
		if !o.json && v.Killed == "" && reasons[v.Mutant.name()] == "" {
			fmt.Fprintln(out, v.survived())
		}
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		return exitFailed, err
	}
	r := newReport(verdicts, excuse(verdicts, s.found.compiled(), reasons), time.Since(begun))
	r.Sample, r.Seed = o.sample, o.seed
	return o.conclude(out, r, err)
}

// conclude writes the report and returns the exit code. For an interrupted run it writes the report
// but gives no verdict on the rate.
func (o options) conclude(out io.Writer, r *report, interrupted error) (int, error) {
	write := r.writeText
	if o.json {
		write = r.writeJSON
	}
	switch err := errors.Join(interrupted, write(out)); {
	case err != nil:
		return exitFailed, err
	case !r.good():
		return exitSurvived, nil
	}
	return exitKilled, nil
}

// write lists the mutants by number: one on each line, or as JSON.
func (o options) write(out io.Writer, mutants []*mutant) error {
	slices.SortFunc(mutants, func(a, b *mutant) int { return a.ID - b.ID })
	if o.json {
		return json.NewEncoder(out).Encode(mutants)
	}
	var lines strings.Builder
	for _, m := range mutants {
		fmt.Fprintf(&lines, "%s\n", m)
	}
	_, err := io.WriteString(out, lines.String())
	return err
}

// unseen returns the mutants that no part of the tests reaches.
func unseen(mutants []*mutant, parts []*part) []*mutant {
	return slices.DeleteFunc(slices.Clone(mutants), func(m *mutant) bool { return len(attempts(m, parts)) > 0 })
}

// look builds the programs, and finds which of their parts reaches which mutants.
func (s *schemata) look(ctx context.Context, chosen int) ([]*part, error) {
	fmt.Fprintf(os.Stderr, "building with %d mutants, %d of them to be run\n", len(s.found.compiled()), chosen)
	parts, err := s.build(ctx)
	if err != nil {
		return nil, err
	}
	bar := progress(len(parts), "what reaches which mutant")
	err = s.explore(ctx, parts, func() { _ = bar.Add(1) })
	return parts, errors.Join(err, bar.Finish())
}

// choose returns the mutants to run: those at the given places, or a sample of all. Their order is
// random, so that the results of an interrupted run represent the rest.
func (o options) choose(all []*mutant) ([]*mutant, error) {
	if len(o.places) > 0 {
		all = slices.DeleteFunc(slices.Clone(all), func(m *mutant) bool {
			return !slices.ContainsFunc(o.places, m.isAt)
		})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no mutant at %s", strings.Join(o.places, ", "))
	}
	order := rand.New(rand.NewPCG(o.seed, 0)).Perm(len(all))
	if o.sample > 0 && o.sample < len(all) {
		order = order[:o.sample]
	}
	return lists.MapOrNil(order, func(i int) *mutant { return all[i] }), nil
}

// isAt reports whether the place names the mutant's file, file:line or folder.
func (m *mutant) isAt(place string) bool {
	place = strings.TrimSuffix(strings.TrimPrefix(place, "./"), "/")
	return place == m.File || place == fmt.Sprintf("%s:%d", m.File, m.Line) || strings.HasPrefix(m.File, place+"/")
}

// judge runs the mutants and calls tell with each verdict. It returns all verdicts in the order of
// the mutants, or the verdicts so far if it is interrupted.
func judge(ctx context.Context, chosen []*mutant, parts []*part, tell func(verdict)) ([]verdict, error) {
	var verdicts []verdict
	var mu sync.Mutex
	bar := progress(len(chosen), "mutants")
	err := inParallel(ctx, len(chosen), func(i int) error {
		v, err := try(ctx, chosen[i], parts)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		verdicts = append(verdicts, v)
		tell(v)
		return bar.Add(1)
	})
	_ = bar.Finish()
	slices.SortFunc(verdicts, func(a, b verdict) int { return a.Mutant.ID - b.Mutant.ID })
	return verdicts, err
}

func progress(total int, what string) *progressbar.ProgressBar {
	return progressbar.NewOptions(total, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionThrottle(time.Second),
		progressbar.OptionSetDescription(what), progressbar.OptionShowCount(), progressbar.OptionClearOnFinish())
}
