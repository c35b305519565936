package tfserving

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

// found is a version on disk: its number and the name of its directory.
type found struct {
	version int64
	child   string
}

// directChildren returns the distinct first path components of the names, in lexicographic order
// (TFS-3.2 step 3).
func directChildren(names []string) []string {
	children := make([]string, 0, len(names))
	for _, name := range names {
		child, _, _ := strings.Cut(name, "/")
		children = append(children, child)
	}
	slices.Sort(children)
	return slices.Compact(children)
}

// parseVersion parses the whole name of a child as an int64. It accepts leading zeros, and blanks
// around the number. A plus sign is accepted only by absl::SimpleAtoi, which tfs-head uses.
func (p Profile) parseVersion(child string) (int64, bool) {
	text := strings.Trim(child, " \t\n\v\f\r")
	if strings.HasPrefix(text, "+") && p != ProfileHead {
		return 0, false
	}
	version, err := strconv.ParseInt(text, 10, 64)
	return version, err == nil
}

// versionsOf returns the children whose names are numbers, in the order of the children.
func (p Profile) versionsOf(children []string) []found {
	var versions []found
	for _, child := range children {
		if v, ok := p.parseVersion(child); ok {
			versions = append(versions, found{v, child})
		}
	}
	return versions
}

// index sorts versions by number. Of several children with the same number it keeps the last.
func index(versions []found) []found {
	sorted := slices.Clone(versions)
	slices.SortStableFunc(sorted, func(a, b found) int { return cmp.Compare(a.version, b.version) })
	unique := sorted[:0]
	for _, v := range sorted {
		if n := len(unique); n > 0 && unique[n-1].version == v.version {
			unique[n-1] = v
			continue
		}
		unique = append(unique, v)
	}
	return unique
}

// choose returns the versions on disk that a policy selects, in upstream's order. For latest_once
// it selects as for latest, because polls skip a model that needs no new version (TFS-21.1).
func choose(p modelconfig.VersionPolicy, versions []found) []found {
	switch p.Kind {
	case modelconfig.All:
		return versions
	case modelconfig.Specific:
		return only(index(versions), p.Versions)
	}
	indexed := index(versions)
	slices.Reverse(indexed)
	n := 1
	if p.Kind != modelconfig.NoPolicy {
		n = int(max(p.NumVersions, 1))
	}
	return indexed[:min(n, len(indexed))]
}

func only(versions []found, numbers []int64) []found {
	return slices.DeleteFunc(versions, func(v found) bool { return !slices.Contains(numbers, v.version) })
}
