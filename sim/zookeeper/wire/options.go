package wire

import (
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// Options configures a server. The zero value keeps the state in memory, and uses the wall clock
// and the real server's limits.
type Options struct {
	// Config is the machine's configuration. Listen sets its OnWrite.
	Config zookeeper.Config
	Limits Limits
	// Clock is the server's time; nil means a clock that follows the wall clock.
	Clock *Clock
	// Speed is the ratio of the server's time to wall time; 0 means 1. Above 3, clients that ping
	// by the wall clock lose their sessions, unless Config.ClientSpeed is the same.
	Speed float64
	// DataDir is a directory that keeps the state across restarts, so that no answered write is
	// lost. With "" the state is in memory only.
	DataDir string
	// Snapshot is the state to start from without a DataDir; nil means an empty tree. SnapshotMs is
	// the time of that state.
	Snapshot   *zookeeper.Snapshot
	SnapshotMs int64
	// Words lists the four-letter words that the server answers; nil means all. srvr is always
	// answered.
	Words []string
	// WriteLog, when set, receives every write as one Observation a line.
	WriteLog io.Writer
	// EventLog, when set, receives every write as one Event a line, before the write is answered.
	EventLog io.Writer
	// Log, when set, receives messages for an operator, one line at a time.
	Log func(line string)

	// rotateAt replaces defaultRotateAt; 0 keeps it.
	rotateAt int64
	// sync, if set, is called with the records instead of writing them to the disk.
	sync func(records []byte) error
}

func (o *Options) log(format string, args ...any) {
	if o.Log != nil {
		o.Log(fmt.Sprintf(format, args...))
	}
}

// ParseProfile returns the profile called name. The error lists all valid names.
func ParseProfile(name string) (zookeeper.Profile, error) {
	profiles := []zookeeper.Profile{zookeeper.V38, zookeeper.V39}
	for _, p := range profiles {
		if p.String() == name {
			return p, nil
		}
	}
	return 0, fmt.Errorf("profile %q, want one of %v", name, profiles)
}

// CheckWords returns an error for the first word that is not a four-letter word of a server.
func CheckWords(words []string) error {
	for _, w := range words {
		if !slices.Contains(allWords, w) {
			return fmt.Errorf("four-letter word %q, want some of %s", w, strings.Join(allWords, ", "))
		}
	}
	return nil
}

// CheckDigests returns an error for an unknown digest algorithm. It also returns an error for a
// SuperDigest that no client could match with that algorithm. The text begins with the setting's
// name.
func CheckDigests(cfg *zookeeper.Config) error {
	if alg := cfg.DigestAlg; alg != "" && !slices.Contains(acl.Digests(), strings.ToUpper(alg)) {
		return fmt.Errorf("digest-alg: found %q, want one of %s", alg, strings.Join(acl.Digests(), ", "))
	}
	if id := cfg.SuperDigest; id != "" && digestSize(id) != digestSize(acl.DigestBy(cfg.DigestAlg, "u:p")) {
		return fmt.Errorf("super-digest: found %q, want user:base64(%s(user:password))", id, strings.ToLower(cfg.DigestAlg))
	}
	return nil
}

// digestSize returns the length in bytes of the decoded digest in an id of the form user:digest. It
// returns -1 if the id has none.
func digestSize(id string) int {
	_, digest, found := strings.Cut(id, ":")
	sum, err := base64.StdEncoding.DecodeString(digest)
	if !found || err != nil {
		return -1
	}
	return len(sum)
}

// Limits protect a server from single clients (ZK-1.9). A zero field means its default.
type Limits struct {
	// ConnsPerAddr limits the connections from one address, including four-letter words. The
	// default is 60, as the real server's maxClientCnxns; -1 means no limit.
	ConnsPerAddr int
	// Outstanding limits the unsent answers of a connection; its next request waits until there are
	// fewer. The default is 1000, as the real server's globalOutstandingLimit, which counts all
	// connections.
	Outstanding int
	// UnsentBytes limits the unsent answers in bytes; the default is 1 MiB. A single answer may be
	// larger.
	UnsentBytes int
	// EventBytes limits a connection's unsent bytes when a watch event is added. A client beyond
	// the limit is disconnected, because events cannot be delayed. The default is 16 MiB.
	EventBytes int
	// FrameBytes is the length of the longest request (jute.maxbuffer); the default is MaxFrame.
	FrameBytes int
	// FirstFrame limits the time until a connection's first message; the default is 10 s, as the
	// real server's sessionlessCnxnTimeout.
	FirstFrame time.Duration
	// LastBytes limits how long a client may take to read the last messages before the server
	// closes its connection. The default is 5 s.
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
	set(&l.FrameBytes, MaxFrame)
	if l.FirstFrame == 0 {
		l.FirstFrame = 10 * time.Second
	}
	if l.LastBytes == 0 {
		l.LastBytes = 5 * time.Second
	}
	return l
}
