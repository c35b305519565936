package deeds

import (
	"iter"
	"path"
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
)

// ReadsTopic is the topic of what a pod reads from ZooKeeper: a round for each parent. What
// the reads found shows in what the agent does next, so only their count and period are
// compared.
const ReadsTopic = "reads"

// burst is how soon after a read another one of the same track belongs to the same act. What
// an agent reads below a znode, child by child, is one act however many children there are.
// It is shorter than the shortest pause of the reference between two acts, which is 1 s.
const burst = 500 * time.Millisecond

// Of reads one act more or less is allowed for each splits that the machine was late, as a burst may
// come in two parts then, and two bursts as one, and for a readsCountPart of them.
const (
	splits         = 8 * burst
	readsCountPart = 0.1
)

// readBy identifies what of a track's reads may be one act: those of one session. The agents of a pod
// have one each.
type readBy struct {
	track   string
	session int64
}

// read adds a read of ZooKeeper. The list of a znode's children belongs to the same track as the
// reads of these children.
func (r *reader) read(o *runners.Observation) {
	parent := path.Dir(o.Path)
	if strings.HasPrefix(o.Note, "getChildren") {
		parent = o.Path
	}
	name := ReadsTopic + " " + o.Pod + " " + parent
	by := readBy{name, o.ID}
	before, ok := r.reads[by]
	if r.reads[by] = o.At; !ok || o.At-before >= burst {
		r.act(name, o, "reads there")
	}
}

// Reads come at a cadence if there are at least leastCadence intervals between them, of which
// all but a cadenceOdd part differ from the median by no more than cadencePart. Others answer
// events, at whose intervals they come: of these only the count is compared.
const (
	leastCadence = 4
	cadenceOdd   = 0.34
	cadencePart  = 0.1
)

// cadence returns the median interval between times, 0 if they do not come at a cadence.
func cadence(at []time.Duration) time.Duration {
	every, odd := median(at), 0
	for gap := range gaps(at) {
		if (gap - every).Abs() > part(cadencePart, every) {
			odd++
		}
	}
	if n := len(at) - 1; n < leastCadence || float64(odd) > cadenceOdd*float64(n) {
		return 0
	}
	return every
}

// gaps yields the intervals between successive times.
func gaps(at []time.Duration) iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		for i := 1; i < len(at); i++ {
			if !yield(at[i] - at[i-1]) {
				return
			}
		}
	}
}

// isRound reports whether the acts of a topic are compared as rounds.
func isRound(topic string) bool { return topic == roundTopic || topic == ReadsTopic }
