package loopback

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/zookeeper/server"
)

// ZooKeeper selects the ZooKeeper of the clusters. The zero value is `monosim zookeeper`.
type ZooKeeper struct {
	// Java selects Debian's ZooKeeper package, which must be installed (see
	// runners/zookeeper/server). Each cluster starts a server of its own.
	Java bool
	// Servers is how many Java servers form an ensemble. 0 means 1.
	Servers int
	// Addrs lists existing servers as host:port. Each cluster gets a znode on them as its root
	// (chroot), which is deleted with the cluster.
	Addrs []string
}

// mostServers is the most servers of an ensemble that a cluster may start.
const mostServers = 7

// ParseZooKeeper parses the value of a flag: monosim, java, java:N or HOST:PORT,HOST:PORT...
func ParseZooKeeper(text string) (ZooKeeper, error) {
	wrong := fmt.Errorf("found %q, want monosim, java, java:N for N servers of an ensemble, or HOST:PORT,... of servers that are there", text)
	kind, size, several := strings.Cut(text, ":")
	switch {
	case text == "monosim":
		return ZooKeeper{}, nil
	case kind == "java" && !several:
		return ZooKeeper{Java: true}, nil
	case kind == "java":
		n, err := strconv.Atoi(size)
		if err != nil || n < 1 || n > mostServers {
			return ZooKeeper{}, fmt.Errorf("found %q, want java:N with N from 1 to %d", text, mostServers)
		}
		return ZooKeeper{Java: true, Servers: n}, nil
	}
	var z ZooKeeper
	for addr := range strings.SplitSeq(text, ",") {
		host, port, err := net.SplitHostPort(addr)
		if n, numeric := strconv.ParseUint(port, 10, 16); err != nil || host == "" || numeric != nil || n == 0 {
			return ZooKeeper{}, wrong
		}
		z.Addrs = append(z.Addrs, addr)
	}
	return z, nil
}

// String returns the text that ParseZooKeeper reads.
func (z ZooKeeper) String() string {
	switch {
	case len(z.Addrs) > 0:
		return strings.Join(z.Addrs, ",")
	case z.Java && z.Servers > 1:
		return fmt.Sprintf("java:%d", z.Servers)
	case z.Java:
		return "java"
	}
	return "monosim"
}

// Check returns an error if the chosen server is not installed or cannot be reached.
func (z ZooKeeper) Check() error {
	if z.Java {
		return server.Installed()
	}
	if len(z.Addrs) == 0 {
		return nil
	}
	conn, err := dialAny(z.Addrs, "")
	if err != nil {
		return fmt.Errorf("found nobody at %s, want a ZooKeeper: %w", z, err)
	}
	defer conn.Close()
	resp, err := handshake(conn, 0, nil)
	if err == nil && resp.SessionID == 0 {
		err = errors.New("it granted no session")
	}
	if err != nil {
		return fmt.Errorf("found no ZooKeeper at %s, want one: %w", conn.RemoteAddr(), err)
	}
	return nil
}

// keepsTheClock reports whether the server runs at the speed of the clock, as an existing
// server does.
func (z ZooKeeper) keepsTheClock() bool { return len(z.Addrs) > 0 }

// zooKeeper is a cluster's ZooKeeper server or ensemble. Writes that it has acknowledged
// survive outages.
type zooKeeper interface {
	// addrs returns the addresses of the servers, none while ZooKeeper is down.
	addrs() []string
	// timeoutScale returns the factor by which session timeouts are multiplied on their way to
	// the server.
	timeoutScale() float64
	// clockScale returns how many seconds of wall time one second of the server takes.
	clockScale() float64
	// chroot returns the znode that serves as the cluster's root, "" for the server's own root.
	chroot() string
	// stop ends the server at once, and start starts it again.
	stop() error
	start() error
	close()
}

func newZooKeeper(c *Cluster) (zooKeeper, error) {
	switch o := c.o.ZooKeeper; {
	case len(o.Addrs) > 0:
		return newRemote(c, o.Addrs)
	case o.Java:
		return newDebian(c, max(o.Servers, 1))
	}
	if wantsFollowers(c.spec) {
		return newOwnEnsemble(c)
	}
	return newSimulated(c)
}

// wantsFollowers reports whether a scenario uses faults that need several servers.
func wantsFollowers(spec runners.Spec) bool {
	return slices.Contains(spec.Faults, staleReads) || slices.Contains(spec.Faults, readOnly)
}

// Faults that need an ensemble.
const (
	staleReads = "zookeeper.stale-reads"
	readOnly   = "zookeeper.read-only"
)

// followers is an ensemble in which clients can be directed to single servers.
type followers interface {
	// follower returns the address of a follower that serves nobody else. That server learns of
	// each write with a delay of lag, in cluster time.
	follower(lag time.Duration) (addr string, err error)
	// leave releases a server that follower returned.
	leave(addr string) error
	// loseQuorum leaves all servers without a leader, in read-only mode.
	loseQuorum() error
}

// ensemble returns the cluster's ZooKeeper as an ensemble, or an error if it has no followers.
func (c *Cluster) ensemble() (followers, error) {
	if e, ok := c.zk.(followers); ok {
		return e, nil
	}
	return nil, &runners.BackendError{Reason: fmt.Sprintf("the ZooKeeper %s has no servers that can be told to lag, or to be read only", c.o.ZooKeeper)}
}

// placePod moves a pod's connections to a follower that serves only this pod. The pod's session
// continues there.
func (c *Cluster) placePod(f runners.Fault) error {
	p, err := c.findPod(f.Pod)
	if err != nil {
		return err
	}
	e, err := c.ensemble()
	if err != nil {
		return err
	}
	if err := c.unplacePod(f); err != nil {
		return err
	}
	addr, err := e.follower(f.Duration)
	if err == nil {
		p.relay.move(addr)
	}
	return err
}

// unplacePod moves a pod's connections back to the server that the other pods use.
func (c *Cluster) unplacePod(f runners.Fault) error {
	p, err := c.findPod(f.Pod)
	if err != nil {
		return err
	}
	e, err := c.ensemble()
	if err != nil {
		return err
	}
	if had := p.relay.move(""); had != "" {
		return e.leave(had)
	}
	return nil
}

// loseQuorum makes ZooKeeper read-only. Its clients then stay unconnected, because they do
// not ask for read-only sessions.
func (c *Cluster) loseQuorum(runners.Fault) error {
	e, err := c.ensemble()
	if err != nil {
		return err
	}
	c.expiries.disconnect()
	return e.loseQuorum()
}

// wantProfile returns an error if the scenario asks for a ZooKeeper profile that the chosen server
// does not have. The last parameter is the profile of the chosen server.
func wantProfile(spec runners.Spec, chosen ZooKeeper, is string) error {
	if spec.ZooKeeper == "" || spec.ZooKeeper == is {
		return nil
	}
	return &runners.BackendError{Reason: fmt.Sprintf("the scenario wants the ZooKeeper %s, and the run has %s", spec.ZooKeeper, chosen)}
}

// dialLimit is the timeout of connecting to a server, in wall time.
const dialLimit = 5 * time.Second

// dialZooKeeper connects to a server. Its parameter from is the source address on this host, and
// its parameter to is the server's address. If to is "", dialZooKeeper tries all servers, and the
// last byte of the source address decides which is first.
func (c *Cluster) dialZooKeeper(from, to string) (net.Conn, error) {
	addrs := c.zk.addrs()
	if len(addrs) == 0 {
		return nil, errors.New("ZooKeeper is down")
	}
	if to != "" {
		return dialAny([]string{to}, from)
	}
	if ip := net.ParseIP(from).To4(); ip != nil {
		first := int(ip[3]) % len(addrs)
		addrs = append(addrs[first:len(addrs):len(addrs)], addrs[:first]...)
	}
	return dialAny(addrs, from)
}

// dialAny connects to the first server that accepts. The source address is only used for
// servers on this host.
func dialAny(addrs []string, from string) (conn net.Conn, err error) {
	for _, addr := range addrs {
		dialer := net.Dialer{Timeout: dialLimit}
		host, _, _ := net.SplitHostPort(addr)
		if ip := net.ParseIP(host); from != "" && ip != nil && ip.IsLoopback() && ip.To4() != nil {
			dialer.LocalAddr = &net.TCPAddr{IP: net.ParseIP(from)}
		}
		if conn, err = dialer.Dial("tcp", addr); err == nil {
			return conn, nil
		}
	}
	return nil, err
}
