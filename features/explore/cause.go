package explore

import (
	"slices"
	"strings"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/vectors/scope"
)

// repairable lists the quirks that can be repaired, by id.
func repairable() ([]string, error) {
	list, err := scope.Quirks()
	var ids []string
	for _, q := range list {
		if q.Decision == scope.Fix {
			ids = append(ids, q.ID)
		}
	}
	return ids, err
}

// kept lists the quirks that a choice of quirks keeps, of those that can be repaired.
func kept(quirks string, all []string) []string {
	ids := strings.Split(quirks, ",")
	switch {
	case quirks == "" || quirks == "python":
		return all
	case quirks == "fixed":
		return nil
	case strings.HasPrefix(quirks, "-"):
		return slices.DeleteFunc(slices.Clone(all), func(id string) bool { return slices.Contains(ids, "-"+id) })
	}
	return slices.DeleteFunc(slices.Clone(all), func(id string) bool { return !slices.Contains(ids, id) })
}

// repaired is a choice of quirks with some more repaired.
func repaired(quirks string, all, some []string) string {
	left := slices.DeleteFunc(slices.Clone(kept(quirks, all)), func(id string) bool { return slices.Contains(some, id) })
	switch {
	case len(left) == 0:
		return "fixed"
	case len(left) == len(all):
		return "python"
	case len(left) < len(all)/2:
		return strings.Join(left, ",")
	}
	gone := slices.DeleteFunc(slices.Clone(all), func(id string) bool { return slices.Contains(left, id) })
	return "-" + strings.Join(gone, ",-")
}

// mostRepairs bounds the repairs that one cause may need.
const mostRepairs = 4

// causeOf finds the smallest set of repairs with which a story passes; nil means that there is none.
// runs counts how often the story was told.
func causeOf(s *Story, all []string) (cause []string, runs int) {
	passes := func(some []string) bool {
		other := s.clone()
		other.Quirks = repaired(s.Quirks, all, some)
		line, _ := other.tell(steps.Telling{}).Failed()
		return line < 0
	}
	candidates := kept(s.Quirks, all)
	if len(candidates) == 0 {
		return nil, 0
	}
	cause, runs = minimize(candidates, passes, 200)
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
