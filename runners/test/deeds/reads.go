package deeds

import (
	"iter"
	"path"
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
)

// ReadsTopic is the topic of a pod's reads from ZooKeeper. There is one round for each pod and
// parent znode. What the reads found shows in what the agent does next, so only their count and
// period are compared.
const ReadsTopic = "reads"

// burst is the time within which two reads of the same track count as one act. An agent that reads
// the children of a znode one after the other thus does one act, however many children there are.
// burst is shorter than the shortest pause of the reference between two acts, which is 1 s.
const burst = 500 * time.Millisecond

// The numbers of reads in two logs may differ by the fraction readsCountPart, and by one act for
// each multiple of the duration splits by which the machine was late. On a late machine, one burst
// may be recorded as two acts, or two bursts as one.
const (
	splits         = 8 * burst
	readsCountPart = 0.1
)

// readBy identifies the reads of a track that may belong to one act: the reads of one session. Each
// agent of a pod has a session of its own.
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

// Reads have a cadence if there are at least leastCadence intervals between them, and nearly all
// intervals are close to the median. A deviation by more than the fraction cadencePart of the
// median is too large, and at most the fraction cadenceOdd of the intervals may deviate so much.
// Reads without a cadence are reactions to events, so only their count is compared.
const (
	leastCadence = 4
	cadenceOdd   = 0.34
	cadencePart  = 0.1
)

// cadence returns the median interval between times, or 0 if the times have no cadence.
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
