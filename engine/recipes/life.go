package recipes

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/pysem/threading"
)

// ConnectionEnd is the reason why a connection has ended.
type ConnectionEnd uint8

// These are the reasons why a connection has ended.
const (
	EndNone       ConnectionEnd = iota
	EndDropped                  // the connection was dropped or timed out (kazoo's ConnectionDropped)
	EndClosed                   // the session was closed
	EndExpired                  // the server refused the session
	EndAuthFailed               // the server refused a credential
)

// Life runs a session from Start to Stop: it connects again after each lost connection. A type that
// embeds it sets the exported fields, calls Init, and makes the connections.
type Life struct {
	Keeper
	Env *env.Env
	// Random decides the order in which server addresses are tried.
	Random env.Random
	// Timeout is the session timeout to request from the server.
	Timeout time.Duration
	// MaxPause is the longest pause between two rounds of connection attempts; 0 means the longest
	// pause of [CommandRetry].
	MaxPause time.Duration
	// Task starts the connection task, which executes run.
	Task func(run func())
	// Resolve looks up the addresses of the servers. If there are none, the session ends.
	Resolve func() []string
	// Connect makes one connection and returns when it has ended (connection.py:548). It may
	// instead return EndNone at once, and call GoOn when the connection ends. Once it is connected,
	// it has to reset the pauses.
	Connect func(addr string, pauses *Pauses) ConnectionEnd
	// AskEnd asks the server to end the session, if there is a connection.
	AskEnd func()

	stopped bool
	pauses  *Pauses
	left    []string // addresses of the round that have not been tried yet
	stop    *threading.Event
	ended   *threading.Event // set when the connection task has ended
}

// Init makes a session that is not started. Call it once, before any other method.
func (l *Life) Init(tasks env.Tasks) {
	l.stop = threading.NewEvent(tasks, "stop of the zookeeper client")
	l.ended = threading.NewEvent(tasks, "end of the connection to zookeeper")
	l.Live = threading.NewEvent(tasks, "connection to zookeeper")
	l.Watches = NewWatches(tasks)
	l.stopped = true
	l.ended.Set()
}

// Stopped reports whether the session was stopped, or was never started.
func (l *Life) Stopped() bool { return l.stopped }

// Start starts the connection task and waits until there is a connection (client.py:567). If that
// takes longer than limit, it stops the session and returns ConnectionTimeout.
func (l *Life) Start(limit time.Duration) error {
	if l.Live.IsSet() {
		return nil
	}
	l.settle()
	l.stopped = false
	l.stop.Clear()
	l.ended.Clear()
	l.Task(l.run)
	l.Live.Wait(limit)
	if !l.Live.IsSet() {
		l.Stop()
		return &zkerrors.Error{Code: zkerrors.ConnectionTimeout, Text: "Connection time-out"}
	}
	return nil
}

// Stop asks the server to end the session and waits for the end of the connection task, for 10 s or
// the session timeout at most (client.py:622). If the server was reached, the ephemeral znodes are
// deleted. A session that is already stopped is left alone.
func (l *Life) Stop() {
	if l.stopped {
		return
	}
	l.stopped = true
	l.stop.Set()
	l.AskEnd()
	l.settle()
}

// settle waits for the running callback to end. Then it waits for the end of the connection task,
// for 10 s or the session timeout at most (client.py:509).
func (l *Life) settle() {
	l.Watches.Join()
	l.ended.Wait(max(l.Timeout, 10*time.Second))
}

// run is the connection task. It connects again and again until the session is stopped
// (connection.py:492, zk_loop).
func (l *Life) run() {
	policy := CommandRetry()
	policy.Interrupt = l.stop
	policy.Site = "kazoo.reconnect"
	policy.MaxDelay = cmp.Or(l.MaxPause, policy.MaxDelay)
	l.pauses = policy.Begin(l.Env)
	if l.stopped {
		l.over()
		return
	}
	l.rounds(l.addresses())
}

// addresses returns the server addresses for one round of attempts, in random order
// (connection.py:524).
func (l *Life) addresses() []string {
	addrs := slices.Clone(l.Resolve())
	for i := len(addrs) - 1; i > 0; i-- {
		j := l.Random.Intn("kazoo.hosts", i+1)
		addrs[i], addrs[j] = addrs[j], addrs[i]
	}
	return addrs
}

// rounds tries the remaining addresses of a round, and then further rounds. It returns when the
// session has to end. It also returns when Connect leaves a connection open, whose end will be
// reported to GoOn. If no name can be resolved, it gives up, as kazoo does.
func (l *Life) rounds(left []string) {
	for len(left) > 0 && !l.stopped {
		addr := left[0]
		left = left[1:]
		end := l.Connect(addr, l.pauses)
		if end == EndNone {
			l.left = left
			return
		}
		var goOn bool
		if left, goOn = l.next(end, left); !goOn {
			break
		}
	}
	l.over()
}

// GoOn continues the connection task when a connection ends for which Connect has returned EndNone.
func (l *Life) GoOn(end ConnectionEnd) {
	if left, goOn := l.next(end, l.left); goOn {
		l.rounds(left)
	} else {
		l.over()
	}
}

// next handles the end of a connection, and pauses after the last address of a round. It returns
// the addresses to try next, and false if the session has to end.
func (l *Life) next(end ConnectionEnd, left []string) (addrs []string, goOn bool) {
	if l.lost(end) {
		return nil, false
	}
	if len(left) > 0 {
		return left, true
	}
	if l.pauses.Pause() != nil || l.stopped {
		return nil, false
	}
	return l.addresses(), true
}

// lost changes the session's state at the end of a connection. It returns true if the session has
// to end.
func (l *Life) lost(end ConnectionEnd) bool {
	switch end {
	case EndClosed:
		l.Change(KeeperClosed)
		return true
	case EndExpired:
		l.pauses.Reset()
		l.Change(KeeperExpired)
	case EndAuthFailed: // for good (connection.py:602)
		l.Change(KeeperAuthFailed)
		return true
	case EndDropped:
		l.Change(KeeperConnecting)
	}
	return false
}

func (l *Life) over() {
	l.Change(KeeperClosed)
	l.ended.Set()
}

// SplitHosts parses a comma-separated list of servers as host:port. The default port is 2181. In
// kazoo the text after a slash is the chroot, which the reference does not use; it is dropped.
func SplitHosts(hosts string) []string {
	hosts, _, _ = strings.Cut(hosts, "/")
	var list []string
	for host := range strings.SplitSeq(hosts, ",") {
		host = strings.TrimSpace(host)
		if name := host[strings.LastIndexByte(host, ']')+1:]; !strings.Contains(name, ":") {
			host += ":2181"
		}
		list = append(list, host)
	}
	return list
}
