package recipes

import (
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/monitor"
)

// ConnectionEnd says why a connection is over.
type ConnectionEnd uint8

// The ends.
const (
	EndNone       ConnectionEnd = iota
	EndDropped                  // kazoo: ConnectionDropped, or a time-out
	EndClosed                   // the session was closed
	EndExpired                  // the server refused the session
	EndAuthFailed               // the server refused a credential
)

// Life is a session from its start to its stop: it connects again and again until it
// is told to stop. Simulated and real sessions share it. Its fields are set before
// Init.
type Life struct {
	Keeper
	Env *env.Env
	// Random draws the order of addresses.
	Random env.Random
	// Timeout is the session timeout that is asked for.
	Timeout time.Duration
	// Task starts the connection task.
	Task func(run func())
	// Resolve looks up the addresses of the servers.
	Resolve func() []string
	// Connect makes one connection and returns when it is over
	// (connection.py:548).
	Connect func(addr string, pauses *Pauses) ConnectionEnd
	// AskEnd asks the server to end the session.
	AskEnd func()

	stopped bool
	stop    *monitor.Event
	ended   *monitor.Event // the loop is over
}

// Init makes it one that is not started.
func (l *Life) Init(tasks env.Tasks) {
	l.stop = monitor.NewEvent(tasks, "stop of the zookeeper client")
	l.ended = monitor.NewEvent(tasks, "end of the connection to zookeeper")
	l.Live = monitor.NewEvent(tasks, "connection to zookeeper")
	l.Watches = NewWatches(tasks)
	l.stopped = true
	l.ended.Set()
}

// Stopped says that nobody wants the session, or not yet.
func (l *Life) Stopped() bool { return l.stopped }

// Start connects (client.py:567). When that takes longer than limit the client is
// stopped.
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
		return &env.ZooKeeperError{Code: env.ZKConnectionTimeout}
	}
	return nil
}

// Stop ends the session (client.py:622).
func (l *Life) Stop() {
	if l.stopped {
		return
	}
	l.stopped = true
	l.stop.Set()
	l.AskEnd()
	l.settle()
}

// settle waits for the running callback and for the end of the loop, the latter
// for 10 s or the session timeout at most (client.py:509).
func (l *Life) settle() {
	l.Watches.Join()
	l.ended.Wait(max(l.Timeout, 10*time.Second))
}

// run is the connection task: it connects until it is told to stop
// (connection.py:492, zk_loop).
func (l *Life) run() {
	policy := CommandRetry()
	policy.Interrupt = l.stop
	policy.Site = "kazoo.reconnect"
	pauses := policy.Begin(l.Env)
	for !l.stopped && !l.connectRound(pauses) {
		if pauses.Pause() != nil {
			break
		}
	}
	l.Change(KeeperClosed)
	l.ended.Set()
}

// connectRound tries each address once, in a drawn order (connection.py:524). It
// reports true when the loop is to end.
func (l *Life) connectRound(pauses *Pauses) (stop bool) {
	addrs := slices.Clone(l.Resolve())
	if len(addrs) == 0 {
		return true // kazoo gives up when no name can be resolved
	}
	for i := len(addrs) - 1; i > 0; i-- {
		j := l.Random.Intn("kazoo.hosts", i+1)
		addrs[i], addrs[j] = addrs[j], addrs[i]
	}
	for _, addr := range addrs {
		if l.stopped {
			return true
		}
		switch l.Connect(addr, pauses) {
		case EndClosed:
			l.Change(KeeperClosed)
			return true
		case EndExpired:
			pauses.Reset()
			l.Change(KeeperExpired)
		case EndAuthFailed: // for good (connection.py:602)
			l.Change(KeeperAuthFailed)
			return true
		case EndDropped:
			l.Change(KeeperConnecting)
		}
	}
	return false
}

// SplitHosts reads a list of servers; what follows a slash would be kazoo's chroot,
// which the reference does not use.
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
