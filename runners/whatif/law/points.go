package law

import (
	"cmp"
	"slices"
	"strings"

	"github.com/monosim/monosim/runners/whatif/quantity"
)

// points parses points from a file with one point per line, such as "64 0.18ms", or from
// parameters, as points(1=0.1ms, 64=0.18ms).
func (p *parser) points() (Law, error) {
	if p.dim != Times && p.dim != Delays {
		return Law{}, badForm("points is a law of times")
	}
	type pair struct{ at, value string }
	var list []pair
	where := "points"
	if path, ok := p.call.Take("file"); ok {
		text, err := p.files(path)
		if err != nil {
			return Law{}, err
		}
		where = path
		for line := range strings.SplitSeq(text, "\n") {
			words := strings.Fields(line)
			if len(words) == 0 || strings.HasPrefix(words[0], "#") {
				continue
			}
			if len(words) != 2 {
				return Law{}, badForm("%s: found %q, want a line as \"64 0.18ms\"", path, line)
			}
			list = append(list, pair{words[0], words[1]})
		}
	}
	for at, value := range p.call.Named { //lint:order sorted below
		list = append(list, pair{at, value})
	}
	clear(p.call.Named)
	l := Law{Kind: Points}
	points := make([][2]float64, len(list))
	for i, one := range list {
		var err error
		if points[i], err = p.point(where, one.at, one.value); err != nil {
			return Law{}, err
		}
	}
	slices.SortFunc(points, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	for i, one := range points {
		if i > 0 && one[0] == points[i-1][0] {
			return Law{}, badForm("%s: two points at %g", where, one[0])
		}
		l.At, l.Values = append(l.At, one[0]), append(l.Values, one[1])
	}
	if len(points) < 2 {
		return Law{}, badForm("%s: found %d points, want 2 or more, as points(1=0.1ms, 64=0.18ms)", where, len(points))
	}
	return l, nil
}

// point parses one point: a number of items or a pause, and its time.
func (p *parser) point(where, at, value string) (one [2]float64, err error) {
	kind := quantity.Number
	if p.dim == Delays {
		kind = quantity.Duration
	}
	if one[0], err = quantity.Parse(kind, at); err != nil {
		return one, badForm("%s: point %q: %s", where, at, err)
	}
	if one[1], err = p.value(value); err != nil {
		return one, badForm("%s: time %q of point %s: %s", where, value, at, err)
	}
	if one[0] < 0 || one[1] < 0 || one[1] == 0 && p.dim == Times {
		return one, badForm("%s: found %s at %s, want a time above 0 at 0 or more", where, value, at)
	}
	return one, nil
}
