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

// setOf parses a choice of quirks, whose text was checked before. "" means that all quirks of the
// reference are kept.
func setOf(text string) quirks.Set {
	set, _ := quirks.Parse(cmp.Or(text, "python"))
	return set
}

// quirkOf returns the quirk with an id such as Q43, 0 if the text is not an id.
func quirkOf(id string) quirks.Quirk {
	digits, _ := strings.CutPrefix(id, "Q")
	n, _ := strconv.Atoi(digits)
	if digits == id {
		return 0
	}
	return quirks.Quirk(n)
}

// kept lists those of the repairable quirks that a choice of quirks keeps.
func kept(text string, all []string) []string {
	set := setOf(text)
	return slices.DeleteFunc(slices.Clone(all), func(id string) bool { return !set.Keeps(quirkOf(id)) })
}

// repaired returns the choice of quirks in text with the quirks in some repaired, too. The result
// names either the repaired or the kept quirks, whichever list is shorter.
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

// swarmOf draws a choice of quirks for the story of a seed. Each quirk is repaired with a
// probability of one half, but those in the list some, which are known causes, with one of an
// eighth.
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

// mostRepairs is the largest number of quirks that are repaired together in search of a cause.
const mostRepairs = 4

// causeOf finds the smallest set of quirks whose repair makes a failing story pass. Among sets of
// one quirk it prefers quirks that are not in found. If there is no such set, it returns nil. runs
// is how often the story ran.
func causeOf(s *Story, all, found []string) (cause []string, runs int) {
	passes := func(some []string) bool { return s.passesRepaired(all, some) }
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

// passesRepaired reports whether a story passes with some more quirks repaired.
func (s *Story) passesRepaired(all, some []string) bool {
	other := s.clone()
	other.refusable(true) // with a quirk repaired, there may be nothing that the story could kill
	other.Quirks = repaired(s.Quirks, all, some)
	line, _ := other.tell(steps.Telling{}).Failed()
	return line < 0
}

// known returns the rule or quirk by which the reference itself breaks an invariant, or "".
func known(list []runners.Broken) string {
	for _, b := range list {
		if b.Known != "" {
			return b.Known
		}
	}
	return ""
}
