package compare

import (
	"regexp"

	"github.com/monosim/monosim/runners/test/deeds"
	"github.com/monosim/monosim/vectors/scope"
)

// explanation is one entry of the list "differs" of a quirk. It says on which runner and in which
// tracks the quirk explains differences.
type explanation struct {
	id, runner string
	track      *regexp.Regexp
}

// explanations returns the explanations in the comparison's quirks, or in the register's if it has
// none.
func (c *Comparison) explanations() ([]explanation, error) {
	quirks := c.Quirks
	if quirks == nil {
		var err error
		if quirks, err = scope.Quirks(); err != nil {
			return nil, err
		}
	}
	var list []explanation
	for _, q := range quirks {
		for _, d := range q.Differs {
			track, err := regexp.Compile(d.Track)
			if err != nil {
				return nil, err
			}
			list = append(list, explanation{q.ID, d.Runner, track})
		}
	}
	return list, nil
}

// explains returns the id of the quirk that explains a difference on a runner, "" for none.
func explains(list []explanation, runner string, d *deeds.Difference) string {
	for _, e := range list {
		if e.runner == runner && e.track.MatchString(d.Track) {
			return e.id
		}
	}
	return ""
}
