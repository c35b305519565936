package compare

import (
	"regexp"
	"sync"

	"github.com/monosim/monosim/runners/deeds"
	"github.com/monosim/monosim/vectors/scope"
)

// explanation is an entry of differs of a quirk.
type explanation struct {
	id, runner string
	track      *regexp.Regexp
}

var explanations = sync.OnceValues(func() ([]explanation, error) {
	quirks, err := scope.Quirks()
	var list []explanation
	for _, q := range quirks {
		for _, d := range q.Differs {
			list = append(list, explanation{q.ID, d.Runner, regexp.MustCompile(d.Track)})
		}
	}
	return list, err
})

// explains is the id of the quirk that the register has for a difference on a runner, ""
// for none.
func explains(runner string, d *deeds.Difference) string {
	list, err := explanations()
	if err != nil {
		return ""
	}
	for _, e := range list {
		if e.runner == runner && e.track.MatchString(d.Track) {
			return e.id
		}
	}
	return ""
}
