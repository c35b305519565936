package steps

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/test/replay"
)

// Run runs scenarios as subtests of t, for a Go test in a project with .feature files of its own:
//
//	//go:embed *.feature
//	var scenarios embed.FS
//
//	func TestScenarios(t *testing.T) {
//		steps.Run(t, scenarios, steps.Suite{Runner: &simrun.Runner{}})
//	}
//
// fsys holds the files, at any depth. how.Paths names some of them; without it all run. The other
// fields of how are as with Suite.Run, with two differences: a Seed of 0 means the environment
// variable MONOSIM_SEED, or 1, and Jobs is ignored, because scenarios run one after another.
//
// Each file has a subtest, and in it each scenario, named by its title. Several seeds have a
// subtest each, and so have the rows of an outline, named by their values. A failed scenario
// reports the step, what was wanted and found at which cluster time, the seed, and the command
// that repeats it. A scenario that the runner cannot run is skipped. An undefined sentence, or a
// filter that matches nothing, ends t before any scenario runs.
func Run(t *testing.T, fsys fs.FS, how Suite) {
	t.Helper()
	s := &how
	s.FS, s.Seed = fsys, replay.Seed(t, s.Seed)
	if s.Runner == nil {
		t.Fatal("steps.Suite: found no Runner, want one, as &simrun.Runner{}")
	}
	if len(s.Paths) == 0 {
		s.Paths = []string{"."}
	}
	scenarios, err := s.plan()
	if err != nil {
		t.Fatal(err)
	}
	for len(scenarios) > 0 {
		n := 1
		for n < len(scenarios) && scenarios[n].path == scenarios[0].path {
			n++
		}
		t.Run(path.Clean(scenarios[0].path), func(t *testing.T) {
			for _, sc := range scenarios[:n] {
				t.Run(sc.name, func(t *testing.T) { s.test(t, sc) })
			}
		})
		scenarios = scenarios[n:]
	}
}

// test runs a scenario with each seed. With several seeds each is a subtest.
func (s *Suite) test(t *testing.T, sc *scenario) {
	for i := range max(s.Seeds, 1) {
		seed := s.Seed + uint64(i)
		if s.Seeds <= 1 {
			s.testSeed(t, sc, seed)
			continue
		}
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) { s.testSeed(t, sc, seed) })
	}
}

// testSeed runs the cases of a scenario with one seed. The rows of an outline are subtests.
func (s *Suite) testSeed(t *testing.T, sc *scenario, seed uint64) {
	if len(sc.cases) == 1 && sc.cases[0].row == 0 {
		s.testCase(t, job{sc, &sc.cases[0], seed})
		return
	}
	for i := range sc.cases {
		c := &sc.cases[i]
		t.Run(c.values, func(t *testing.T) { s.testCase(t, job{sc, c, seed}) })
	}
}

// testCase runs one case, and passes, fails or skips the test.
func (s *Suite) testCase(t *testing.T, j job) {
	one := *s
	one.command = replay.Command(t, j.seed)
	r := one.runOne(j)
	if r.Status == Failed {
		one.explainFailure(j, &r)
	}
	tell(t, &r)
}

// tell fails or skips a test according to a result.
func tell(t *testing.T, r *Result) {
	if r.Status == Skipped {
		t.Skip("the runner cannot do all of this scenario")
	}
	if r.Status == Failed {
		t.Error(account(r))
	}
}

// account describes the steps of a failed result, and why it failed.
func account(r *Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d: %s\n", r.Path, r.Line, r.Name)
	for _, st := range r.Steps {
		fmt.Fprintf(&b, "  %c %s %s\n", "+!-"[st.Status], st.Keyword, st.Text)
		if st.Err != nil {
			fmt.Fprintf(&b, "      %s\n", strings.ReplaceAll(st.Err.Error(), "\n", "\n      "))
		}
	}
	if r.Err != nil {
		fmt.Fprintf(&b, "  %s\n", strings.ReplaceAll(r.Err.Error(), "\n", "\n  "))
	}
	for _, line := range r.Explanation {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	for _, line := range r.About() {
		fmt.Fprintf(&b, "  about %s\n", line)
	}
	fmt.Fprintf(&b, "  seed %d, replay with: %s", r.Seed, r.Replay)
	return b.String()
}
