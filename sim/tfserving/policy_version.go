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

// parseVersion parses a child's whole name as an int64. It accepts blanks around the number and
// leading zeros. Only absl::SimpleAtoi, used by tfs-head, accepts a plus sign.
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

// index sorts versions by number and keeps the last child of each number.
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

// choose returns the versions that a policy selects from those on disk, in upstream's order. Where a
// poll looks at a model with latest_once at all, that policy is latest (TFS-21.1).
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
