package wire

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/monosim/monosim/sim/zookeeper"
)

// Options are the settings of a server. The zero value is one that keeps its
// state in memory, on the wall clock, with the real server's limits.
type Options struct {
	// Config is the machine's. Listen sets OnWrite; ServerID and the rest are the
	// caller's.
	Config zookeeper.Config
	Limits Limits
	// Clock is the server's time; nil is the wall clock.
	Clock *Clock
	// Speed makes the wall clock run that much faster; 0 means 1. It does nothing
	// with a Clock. Clients that ping by the wall clock lose their sessions when it is
	// above 3, unless Config.ClientSpeed is the same.
	Speed float64
	// DataDir keeps the state across restarts: nothing that was answered is lost.
	// Empty means that the state is in memory only.
	DataDir string
	// Snapshot is where to start from when there is no DataDir; nil is an empty
	// tree. SnapshotMs is its time.
	Snapshot   *zookeeper.Snapshot
	SnapshotMs int64
	// Words are the four-letter words to answer; nil means all. srvr always is.
	Words []string
	// WriteLog, when set, is told of every write, one JSON object a line.
	WriteLog io.Writer
	// EventLog, when set, is told of every write, too: one Event a line, for whoever
	// follows the server while it runs.
	EventLog io.Writer
	// Log, when set, is told what an operator may want to know: one line at a time.
	Log func(line string)

	// rotateAt replaces the size of a log that is worth a snapshot.
	rotateAt int64
	// sync, when set, is called instead of writing to the disk.
	sync func(records []byte) error
}

func (o *Options) log(format string, args ...any) {
	if o.Log != nil {
		o.Log(fmt.Sprintf(format, args...))
	}
}

// ParseProfile returns the profile of that name. The error lists the names that there
// are.
func ParseProfile(name string) (zookeeper.Profile, error) {
	profiles := []zookeeper.Profile{zookeeper.V38, zookeeper.V39}
	for _, p := range profiles {
		if p.String() == name {
			return p, nil
		}
	}
	return 0, fmt.Errorf("profile %q, want one of %v", name, profiles)
}

// CheckWords returns an error about the first of the words that is no four-letter word
// of a server, nil when all are.
func CheckWords(words []string) error {
	for _, w := range words {
		if !slices.Contains(allWords, w) {
			return fmt.Errorf("four-letter word %q, want some of %s", w, strings.Join(allWords, ", "))
		}
	}
	return nil
}
