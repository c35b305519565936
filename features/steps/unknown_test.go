package steps

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAValueThatAPlaceholderDoesNotTakeIsNamed(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"model ctr with sub-graphs entry of 30MB in version 1",
			`{size} takes a whole number, a blank, and bytes, kB, MB or GB, or KiB, MiB or GiB: found "30MB", want as 30 MB`},
		{"5 minutes pass", `{duration} takes a time in ms, s, m and h without blanks, as 250ms, 90s, 1h30m: found "5 minutes", want as 90s`},
		{"within 5 minutes every pod runs", `{duration} takes a time in ms, s, m and h without blanks, as 250ms, 90s, 1h30m: found "5 minutes", want as 90s`},
		{"ZooKeeper is down for 10 min", `{duration} takes a time in ms, s, m and h without blanks, as 250ms, 90s, 1h30m: found "10 min", want as 90s`},
		{"the model server of shard0-replica0 has version 1 of ctr:entry READY",
			`{state} takes START, LOADING, AVAILABLE, UNLOADING, END or UNKNOWN: found "READY", want as AVAILABLE`},
		{"the ZooKeeper profile is kazoo", `{text} takes any text in double quotes: found "kazoo", want as "a text"`},
		{"a v3 cluster of two shards with 2 replicas", `{n} takes a whole number: found "two", want as 2`},
	} {
		lines := strings.Split(known.unknown(c.text), "\n")
		if got := strings.TrimSpace(lines[len(lines)-1]); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

func TestAllUnknownSentencesAreToldAtOnce(t *testing.T) {
	s := suiteOf(&fakeRunner{}, `
Feature: f
  Scenario: s
    Given a v3 cluster of 1 shard with 1 replica
    When the clusters start
    Then every pod rans
  Scenario: t
    Given a v3 cluster of 1 shard with 1 replica
    Then within 5 minutes every pod runs
`)
	_, err := s.Run()
	var where []string
	joined, _ := err.(interface{ Unwrap() []error })
	if joined == nil {
		t.Fatalf("got error %v, want several", err)
	}
	for _, e := range joined.Unwrap() {
		var input *InputError
		if errors.As(e, &input) {
			where = append(where, input.Where)
		}
	}
	if diff := cmp.Diff([]string{"x.feature:4", "x.feature:5", "x.feature:8"}, where); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}

// Goal: the example of every sentence matches it, and every placeholder describes what it accepts.
func TestEverySentenceIsDescribed(t *testing.T) {
	for _, s := range known {
		d := s.describe()
		_, text, _ := strings.Cut(d.Example, " ")
		if found := known.match(text); len(found) != 1 || found[0] != s {
			t.Errorf("%q: its example %q says %d sentences, want it alone", s.text, text, len(found))
		}
		for _, p := range d.Placeholders {
			if p.Accepts == "" || !wordExpr(p.Name).MatchString(p.Example) {
				t.Errorf("%q: placeholder %+v, want what it takes and a text that fits", s.text, p)
			}
		}
	}
	for text, passes := range map[string]bool{"{duration} pass(es)": true, "the cluster starts": false, "ZooKeeper is down": true, "ZooKeeper goes down": false, "{pods} run(s)": true} {
		for _, s := range known {
			if d := s.describe(); s.text == text && (d.Passes != "" && !strings.HasPrefix(d.Passes, "never: ")) != passes {
				t.Errorf("%q: time passes %q, want %t", text, s.describe().Passes, passes)
			}
		}
	}
}
