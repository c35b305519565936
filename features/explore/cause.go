package explore

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/features/steps/drawn"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/vectors/scope"
)

// repairable lists the quirks that can be repaired, by id.
func repairable() ([]string, error) {
	list, err := scope.Quirks()
	ids := lists.Select(list, func(q scope.Quirk) (string, bool) { return q.ID, q.Decision == scope.Fix })
	return ids, err
}

// setOf reads a choice of quirks, which was checked before; "" is that of the reference.
func setOf(text string) quirks.Set {
	set, _ := quirks.Parse(cmp.Or(text, "python"))
	return set
}

// quirkOf returns the quirk of an id of the register, 0 of what is none.
func quirkOf(id string) quirks.Quirk {
	digits, _ := strings.CutPrefix(id, "Q")
	n, _ := strconv.Atoi(digits)
	if digits == id {
		return 0
	}
	return quirks.Quirk(n)
}

// kept lists the quirks that a choice of quirks keeps, of those that can be repaired.
func kept(text string, all []string) []string {
	set := setOf(text)
	return slices.DeleteFunc(slices.Clone(all), func(id string) bool { return !set.Keeps(quirkOf(id)) })
}

// repaired is a choice of quirks with some more repaired: of the lists that say so the shorter one.
func repaired(text string, all, some []string) string {
	left := slices.DeleteFunc(kept(text, all), func(id string) bool { return slices.Contains(some, id) })
	gone := slices.DeleteFunc(slices.Clone(all), func(id string) bool { return slices.Contains(left, id) })
	said := "-" + strings.Join(gone, ",-")
	switch {
	case len(left) == 0:
		said = "fixed"
	case len(gone) == 0:
		said = "python"
	case len(left) < len(gone):
		said = strings.Join(left, ",")
	}
	if setOf(text).InFork(quirks.Q25) {
		said += "," + quirks.ForkForm
	}
	return said
}

// swarmOf is a choice of quirks for the story of a seed: half of those that a choice keeps, and an eighth
// of some, which are known causes.
func swarmOf(seed uint64, text string, all, some []string) string {
	gone := slices.DeleteFunc(slices.Clone(all), func(id string) bool {
		of := 2
		if slices.Contains(some, id) {
			of = 8
		}
		return drawn.New(seed, "quirk "+id).N(of) == 0
	})
	return repaired(text, all, gone)
}

// mostRepairs bounds the repairs that one cause may need.
const mostRepairs = 4

// causeOf finds the smallest set of repairs with which a story passes, of several one of quirks that are
// not found yet; nil means that there is none. runs counts how often the story was told.
func causeOf(s *Story, all, found []string) (cause []string, runs int) {
	passes := func(some []string) bool {
		other := s.clone()
		other.Quirks = repaired(s.Quirks, all, some)
		line, _ := other.tell(steps.Telling{}).Failed()
		return line < 0
	}
	candidates := kept(s.Quirks, all)
	fresh := slices.DeleteFunc(slices.Clone(candidates), func(id string) bool { return slices.Contains(found, id) })
	for _, list := range [][]string{fresh, candidates} {
		if len(list) == 0 || len(cause) == 1 {
			break
		}
		smaller, n := minimize(list, passes, 200)
		runs += n
		if len(smaller) > 0 && (cause == nil || len(smaller) < len(cause)) {
			cause = smaller
		}
	}
	if len(cause) > mostRepairs {
		return nil, runs
	}
	return cause, runs
}

// known returns by which rule or quirk the reference itself breaks an invariant, "" for none.
func known(list []runners.Broken) string {
	for _, b := range list {
		if b.Known != "" {
			return b.Known
		}
	}
	return ""
}
