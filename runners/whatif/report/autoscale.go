package report

import (
	"fmt"
	"strings"

	"github.com/monosim/monosim/runners/whatif/result"
)

// mostSteps is the largest number of an autoscaler's decisions that the report prints in a
// line.
const mostSteps = 12

// autoscalers reports the decisions of each autoscaler, and times in which it did not add
// replicas although it should have.
func autoscalers(l *lines, r *result.Result) {
	for _, s := range r.Scalers {
		if s.Oracle {
			l.add("%s by %s: an oracle, which no autoscaler is; metric cpu is what Kubernetes does with what it measures (CAP-12.24)", s.Tier, s.Looks)
			continue
		}
		l.add("%s%s by %s: %d", s.Tier, either(s.Tier == "ps", " (shard 0)", ""), s.Looks, s.Begin)
		var steps []string
		for i, one := range s.Steps {
			if i == mostSteps {
				steps = append(steps, fmt.Sprintf("and %d more", len(s.Steps)-i))
				break
			}
			steps = append(steps, fmt.Sprintf("> %d (%s)", one.To, duration(one.At)))
		}
		l.extendIf(len(steps) > 0, " %s", strings.Join(steps, " "))
		l.extendIf(len(steps) == 0, " throughout")
		l.extendIf(s.Runs > 1, " in the first replication; in the mean of %d it goes up %s times, down %s", s.Runs, short(s.Ups), short(s.Downs))
		l.extendIf(s.Turns >= 0.5, ", and turns %s times%s", short(s.Turns), either(s.Turns >= 2, ": it flaps", ""))
		if h := s.Held; h != nil {
			l.add("  from %s to %s it adds nothing, though the %d of %d containers that report are above the target", duration(h.From), duration(h.To), h.Report, h.Of)
			l.extendIf(h.Percent >= 0, ", at %d %% of cpu", h.Percent)
			l.extend(": %s", either(h.Why == "max", "max is reached", h.Why))
			l.extendIf(s.Runs > 1, " (in %d of %d replications; the longest)", s.HeldIn, s.Runs)
		}
	}
}
