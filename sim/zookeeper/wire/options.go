package wire

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/sim/zookeeper"
)

// Options configures a server. The zero value keeps its state in memory and has the wall
// clock and the real server's limits.
type Options struct {
	// Config is the machine's configuration. Listen sets its OnWrite.
	Config zookeeper.Config
	Limits Limits
	// Clock is the server's time; nil is a clock that follows the wall clock.
	Clock *Clock
	// Speed is how many times as fast as the wall clock the server's own clock runs; 0
	// means 1. Above 3, clients that ping by the wall clock lose their sessions, unless
	// Config.ClientSpeed is the same.
	Speed float64
	// DataDir is a directory that keeps the state across restarts: nothing that was
	// answered is lost. With "" the state is in memory only.
	DataDir string
	// Snapshot is the state to start from without a DataDir; nil is an empty tree.
	// SnapshotMs is the time of that state.
	Snapshot   *zookeeper.Snapshot
	SnapshotMs int64
	// Words are the four-letter words to answer; nil means all. srvr is always answered.
	Words []string
	// WriteLog, when set, gets every write, as one Observation a line.
	WriteLog io.Writer
	// EventLog, when set, gets every write too, as one Event a line, for whoever follows
	// the running server.
	EventLog io.Writer
	// Log, when set, gets messages for an operator, one line at a time.
	Log func(line string)

	// rotateAt replaces defaultRotateAt; 0 keeps it.
	rotateAt int64
	// sync, when set, is called in place of writing to the disk.
	sync func(records []byte) error
}

func (o *Options) log(format string, args ...any) {
	if o.Log != nil {
		o.Log(fmt.Sprintf(format, args...))
	}
}

// ParseProfile returns the profile with a name. The error lists the names that there are.
func ParseProfile(name string) (zookeeper.Profile, error) {
	profiles := []zookeeper.Profile{zookeeper.V38, zookeeper.V39}
	for _, p := range profiles {
		if p.String() == name {
			return p, nil
		}
	}
	return 0, fmt.Errorf("profile %q, want one of %v", name, profiles)
}

// CheckWords returns an error for the first of the words that is no four-letter word of a
// server.
func CheckWords(words []string) error {
	for _, w := range words {
		if !slices.Contains(allWords, w) {
			return fmt.Errorf("four-letter word %q, want some of %s", w, strings.Join(allWords, ", "))
		}
	}
	return nil
}

// Limits keep one client from hurting the others (ZK-1.9). A zero field has its default.
type Limits struct {
	// ConnsPerAddr is how many connections one address may have, four-letter words
	// included. The default is 60, as the real server's maxClientCnxns; -1 is no limit.
	ConnsPerAddr int
	// Outstanding is how many answers may wait to be sent to a connection before its next
	// request has to wait. The default is 1000, as the real server's
	// globalOutstandingLimit, which counts all connections.
	Outstanding int
	// UnsentBytes is the same in bytes; the default is 1 MiB. One answer may be larger.
	UnsentBytes int
	// EventBytes is how many bytes may wait to be sent when an event comes. A client that
	// does not read is cut off, because events cannot be held back. The default is 16 MiB.
	EventBytes int
	// FirstFrame is how long a connection may take to send its first message; the default
	// is 10 s, as the real server's sessionlessCnxnTimeout.
	FirstFrame time.Duration
	// LastBytes is how long a client may take to read what was sent before the server
	// closes its connection; the default is 5 s.
	LastBytes time.Duration
}

func (l Limits) withDefaults() Limits {
	set := func(field *int, value int) {
		if *field == 0 {
			*field = value
		}
	}
	set(&l.ConnsPerAddr, 60)
	set(&l.Outstanding, 1000)
	set(&l.UnsentBytes, 1<<20)
	set(&l.EventBytes, 16<<20)
	if l.FirstFrame == 0 {
		l.FirstFrame = 10 * time.Second
	}
	if l.LastBytes == 0 {
		l.LastBytes = 5 * time.Second
	}
	return l
}
