package training

import (
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/threading"
)

// IsIPv6Address reports whether ip is an IPv6 address, without brackets (net_utils.py:89).
func IsIPv6Address(ip string) bool {
	addr, err := netip.ParseAddr(ip)
	return err == nil && addr.Is6() && strings.Count(ip, "%") <= 1
}

// ConcatIPAndPort returns "ip:port", with an IPv6 address in brackets (net_utils.py:97). The port
// is a string because Python also accepts None, and writes it as "None".
func ConcatIPAndPort(ip, port string) string {
	if IsIPv6Address(ip) {
		return "[" + ip + "]:" + port
	}
	return ip + ":" + port
}

// LocalIP returns the IPv4 address of the host's own name, or its IPv6 address if it has no IPv4
// one (net_utils.py:104). Without either it is a gaierror.
func LocalIP(host env.Host) (string, error) {
	if ip, err := host.LookupIP(); err == nil {
		return ip, nil
	}
	ip, err := host.LookupIPv6()
	if err != nil {
		return "", pysem.Raise("gaierror", "%v", err)
	}
	return ip, nil
}

// IsIPv4Supported reports whether the host's own name has an IPv4 address. A name
// without any address is a gaierror.
func IsIPv4Supported(host env.Host) (bool, error) {
	ip, err := LocalIP(host)
	return !IsIPv6Address(ip), err
}

// LocalServerAddr returns host:port, the address at which others reach a server that listens on
// this port of this host. The errors are those of LocalIP.
func LocalServerAddr(host env.Host, port string) (string, error) {
	ip, err := LocalIP(host)
	if err != nil {
		return "", err
	}
	return ConcatIPAndPort(ip, port), nil
}

// NodeAliveChecker tries to connect to each of some addresses once, and keeps the results
// (net_utils.py:26).
//
// Cost: a check grows with the number of addresses that do not answer. Each of them occupies one
// task for the whole timeout.
type NodeAliveChecker struct {
	e           *env.Env
	timeout     time.Duration
	addrs       []string
	left        []string
	alive, dead []string
}

// NewNodeAliveChecker connects to each address and returns when all have been tried. It uses the
// given number of parallel tasks, and gives each address at most timeout. With 0 tasks it tries no
// address, and none counts as dead. With a timeout of 0 all count as dead, because no connection is
// immediate, and with one below 0 because no socket takes it.
func NewNodeAliveChecker(e *env.Env, addrs []string, timeout time.Duration, tasks int) *NodeAliveChecker {
	c := &NodeAliveChecker{e: e, timeout: timeout, addrs: addrs, left: slices.Clone(addrs)}
	group := threading.NewGroup(e.Tasks)
	for range tasks {
		group.Go("node-alive", c.work)
	}
	group.Join()
	return c
}

func (c *NodeAliveChecker) work() {
	for len(c.left) > 0 {
		addr := c.left[0]
		c.left = c.left[1:]
		if err := c.ping(addr); err != nil {
			c.e.Log.Logf(env.Warning, "cannot connect to %s, because %v", addr, err)
			c.dead = append(c.dead, addr)
		} else {
			c.alive = append(c.alive, addr)
		}
	}
}

func (c *NodeAliveChecker) ping(addr string) error {
	colon := strings.LastIndexByte(addr, ':')
	if colon < 0 {
		return pysem.UnpackError(2, 1)
	}
	if c.timeout < 0 {
		return pysem.Raise("ValueError", "Timeout value out of range")
	}
	port, err := pysem.ParseInt(addr[colon+1:])
	if err != nil {
		return err
	}
	if c.timeout == 0 {
		return pysem.Raise("BlockingIOError", "[Errno 115] Operation now in progress")
	}
	return c.e.Network.Probe(ConcatIPAndPort(strings.Trim(addr[:colon], "[]"), port.String()), c.timeout)
}

// AllNodesAlive reports whether every address that was tried could be connected to.
func (c *NodeAliveChecker) AllNodesAlive() bool { return len(c.dead) == 0 }

// DeadNodes returns the addresses that could not be connected to, sorted, each once.
func (c *NodeAliveChecker) DeadNodes() []string { return sortedSet(c.dead) }

// AliveNodes returns the addresses that could be connected to, sorted, each once.
func (c *NodeAliveChecker) AliveNodes() []string { return sortedSet(c.alive) }

// Addrs returns the addresses in the order in which the caller gave them.
func (c *NodeAliveChecker) Addrs() []string { return c.addrs }

func sortedSet(list []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(list)))
}
