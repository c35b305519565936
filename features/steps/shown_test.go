package steps

import (
	"strings"
	"testing"

	"github.com/monosim/monosim/features"
	"github.com/monosim/monosim/features/steps/meaning"
	"github.com/monosim/monosim/runners/test/simrun"
)

// Goal: every sentence has a line that says what it does, and an example from a shipped scenario or
// from the file of this test. Both kinds of scenarios can be planned.
func TestEverySentenceIsShown(t *testing.T) {
	planned := map[string]bool{}
	for _, s := range []*Suite{{Runner: &simrun.Runner{}, FS: shownFile, Paths: []string{shownName}}, shippedSuite()} {
		scenarios, err := s.plan()
		if err != nil {
			t.Fatal(err)
		}
		for _, sc := range scenarios {
			for _, c := range sc.cases {
				for _, st := range c.steps {
					planned[st.text] = true
				}
			}
		}
	}
	used := map[string]bool{}
	for _, s := range known {
		d := s.describe()
		used[s.text] = true
		_, text, _ := strings.Cut(d.Example, " ")
		if d.Where == "" || !planned[text] {
			t.Errorf("%q: example %q at %q, want a step of a scenario that is shipped", s.text, d.Example, d.Where)
		}
		if strings.Contains(d.Example, "a text") {
			t.Errorf("%q: example %q, want one that means something", s.text, d.Example)
		}
		if len(d.Does) < 12 || len(d.Does) > 180 {
			t.Errorf("%q: does %q, want a line", s.text, d.Does)
		}
	}
	for text := range meaning.Of {
		if !used[text] {
			t.Errorf("meaning.Of: %q is no sentence", text)
		}
	}
}

func shippedSuite() *Suite {
	return &Suite{Runner: &simrun.Runner{}, FS: features.FS, Paths: []string{"."}}
}

// Goal: the scenarios that serve as examples of sentences pass.
func TestShownScenariosPass(t *testing.T) {
	s := &Suite{Runner: &simrun.Runner{}, FS: shownFile, Paths: []string{shownName}, Seeds: 3}
	if report := run(t, s); report.Failed > 0 || report.Passed != 3*7 {
		for i := range report.Results {
			if r := &report.Results[i]; r.Status == Failed {
				t.Errorf("%s, seed %d: %v", r.Name, r.Seed, r.Failure())
			}
		}
		t.Errorf("passed %d, want 21", report.Passed)
	}
}
