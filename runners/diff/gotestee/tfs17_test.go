package gotestee_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/diff/gotestee"
	"github.com/monosim/monosim/runners/diff/testee/conformance"
	"github.com/monosim/monosim/vectors/golden"
	"github.com/monosim/monosim/vectors/scope"
)

// Goal: the profile python-fake differs from a real model server wherever the reference's fake does
// (TFS-17). Method: cases recorded from that fake, over gRPC and with its thread. Their names begin
// with what they show: tfs17-04- for item 4 of TFS-17.1, tfs17.2- for TFS-17.2.

// difference is one item in the list of TFS-17.1.
type difference struct {
	what string
	// fault means that the item is reproduced only with the option FakeBugs.
	fault bool
}

var differences = [...]difference{
	1:  {what: "versions are invented from the policy"},
	2:  {what: "nothing is validated, nothing used"},
	3:  {what: "no policy is specific without versions, version 0 for ever"},
	4:  {what: "policy all ends the thread; the request is sorted in place", fault: true},
	5:  {what: "states begin at UNKNOWN, each a hop of the queue"},
	6:  {what: "one queue over all models"},
	7:  {what: "no load failure, retry, resources, warm-up"},
	8:  {what: "not found is an entry with version -1"},
	9:  {what: "a missing model_spec is not found"},
	10: {what: "versions in the order of insertion"},
	11: {what: "a label is never found"},
	12: {what: "END entries and empty models are deleted at once"},
	13: {what: "a reload never waits and is always OK"},
	14: {what: "a reload ignores names that are there"},
	15: {what: "an unset or custom config is an empty list"},
	16: {what: "of a name listed twice the last wins"},
	17: {what: "all versions unload at once, from any state"},
	18: {what: "a stale event unloads the version of a new entry", fault: true},
	19: {what: "every 30 s a model drawn at random grows"},
	20: {what: "Predict answers nothing, the others are not implemented"},
	21: {what: "metadata is the repr of attributes"},
	22: {what: "the port is open on [::] from the start"},
	23: {what: "no other service"},
	24: {what: "the forms of the constructor"},
	25: {what: "no config polling; load and remove take no lock"},
}

var itemOf = regexp.MustCompile(`/tfs17-(\d\d)-`)

// recorded is a case that shows an item. diverges means that it also shows a quirk in which the
// port's fake differs from the reference's on purpose.
type recorded struct {
	*conformance.Vector
	diverges bool
}

// casesOfDifferences returns the cases, by the number of the item that they show.
func casesOfDifferences(t *testing.T) map[int][]recorded {
	t.Helper()
	list := map[int][]recorded{}
	each(t, func(s *golden.Suite, c *golden.Case) {
		match := itemOf.FindStringSubmatch(c.ID)
		if match == nil {
			return
		}
		v, err := conformance.VectorOf(c)
		if err != nil {
			t.Fatal(err)
		}
		var item int
		if _, err := fmt.Sscan(strings.TrimLeft(match[1], "0"), &item); err != nil || item >= len(differences) {
			t.Fatalf("%s: found item %s, want one of the %d of TFS-17.1", c.ID, match[1], len(differences)-1)
		}
		list[item] = append(list[item], recorded{Vector: v, diverges: c.Verdict == scope.Diverge})
	})
	return list
}

// each calls fn for every golden case.
func each(t *testing.T, fn func(s *golden.Suite, c *golden.Case)) {
	t.Helper()
	suites, err := golden.Suites(golden.FS())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range suites {
		for i := range s.Cases {
			fn(s, &s.Cases[i])
		}
	}
}

func TestEveryDifferenceOfTheFakeIsRecordedAndReproduced(t *testing.T) {
	cases := casesOfDifferences(t)
	engine := gotestee.New("test")
	for item, d := range differences[1:] {
		item++
		t.Run(fmt.Sprintf("TFS-17.1 item %d: %s", item, d.what), func(t *testing.T) {
			matching := 0
			for _, v := range cases[item] {
				t.Log(v.ID)
				diff := conformance.Compare(v.Op, v.Want, engine.Answer(&v.Case))
				switch {
				case v.diverges:
				case diff != "":
					t.Errorf("%s (-want +got):\n%s", v.ID, diff)
				default:
					matching++
				}
			}
			if matching == 0 {
				t.Errorf("found %d cases named tfs17-%02d-, none of which is reproduced; want one at least", len(cases[item]), item)
			}
		})
	}
}

// Goal: without the option FakeBugs, the fake differs from the reference in every case of the items
// that the option reproduces, and in no other case.
func TestWithoutTheOptionOnlyItsItemsDiffer(t *testing.T) {
	engine := gotestee.New("test")
	if err := engine.KeepQuirks("-Q93,-Q95,-Q99"); err != nil {
		t.Fatal(err)
	}
	for item, list := range casesOfDifferences(t) {
		for _, v := range list {
			if v.diverges {
				continue
			}
			diff := conformance.Compare(v.Op, v.Want, engine.Answer(&v.Case))
			if differs := diff != ""; differs != differences[item].fault {
				t.Errorf("%s: differs %v, want %v (-want +got):\n%s", v.ID, differs, differences[item].fault, diff)
			}
		}
	}
}

// Goal: TFS-17.2 and TFS-17.3 are recorded too. The first is what monolith's own tests rely on. The
// second is another fake, which never runs as a process.
func TestTheRestOfTFS17IsRecorded(t *testing.T) {
	found := map[string]int{}
	each(t, func(_ *golden.Suite, c *golden.Case) {
		switch {
		case strings.Contains(c.ID, "/tfs17.2-"):
			found["TFS-17.2"]++
		case c.Op == "tfs_wrapper.FakeTFSWrapper" && c.Verdict == scope.Match:
			found["TFS-17.3"]++
		}
	})
	for _, paragraph := range []string{"TFS-17.2", "TFS-17.3"} {
		if found[paragraph] == 0 {
			t.Errorf("%s: found no case", paragraph)
		}
	}
}
