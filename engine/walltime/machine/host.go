package machine

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/walltime"
)

// These are errors of a machine without addresses, in the words of Python's socket module.
var (
	errNoName  = errors.New("[Errno -2] Name or service not known")
	errNoRoute = errors.New("[Errno 101] Network is unreachable")
)

// host implements env.Host on the machine. The environment variables are those of one process.
type host struct {
	localhost string
	p         *walltime.Process
	vars      []string // key=value, sorted by key

	portsLock sync.Mutex
	ports     map[int]bool // ports that were handed out before
}

// variables returns key=value entries sorted by key. If a key occurs twice, the last entry counts.
// Entries without "=" are dropped, because the C library cannot look them up.
func variables(entries []string) []string {
	h := &host{}
	for _, e := range entries {
		if key, value, ok := strings.Cut(e, "="); ok && key != "" {
			h.set(key, value)
		}
	}
	return h.vars
}

func (h *host) find(key string) (int, bool) {
	return slices.BinarySearchFunc(h.vars, key, func(entry, key string) int {
		k, _, _ := strings.Cut(entry, "=")
		return strings.Compare(k, key)
	})
}

func (h *host) set(key, value string) {
	i, ok := h.find(key)
	if ok {
		h.vars[i] = key + "=" + value
	} else {
		h.vars = slices.Insert(h.vars, i, key+"="+value)
	}
}

func (h *host) LookupEnv(key string) (value string, ok bool) {
	h.p.Check()
	i, ok := h.find(key)
	if !ok {
		return "", false
	}
	return h.vars[i][len(key)+1:], true
}

func (h *host) Setenv(key, value string) {
	h.p.Check()
	h.set(key, value)
}

func (h *host) Unsetenv(key string) {
	h.p.Check()
	if i, ok := h.find(key); ok {
		h.vars = slices.Delete(h.vars, i, i+1)
	}
}

func (h *host) Environ() []string {
	h.p.Check()
	return slices.Clone(h.vars)
}

// Hostname returns the machine's name, or "localhost" if it has none.
func (h *host) Hostname() string {
	h.p.Check()
	name, err := os.Hostname()
	if err != nil {
		return "localhost"
	}
	return name
}

func (h *host) LookupIP() (string, error) { return h.lookUp("ip4") }

func (h *host) LookupIPv6() (string, error) { return h.lookUp("ip6") }

// lookUp returns the first address of the machine's own name, ip4 or ip6 as network says.
func (h *host) lookUp(network string) (string, error) {
	name := h.Hostname()
	var ips []net.IP
	var err error
	h.p.Block(func(ctx context.Context) { ips, err = net.DefaultResolver.LookupIP(ctx, network, name) })
	if err != nil || len(ips) == 0 {
		return "", errNoName
	}
	return ips[0].String(), nil
}

// outside is an address on another network (utils.py:1157). Connecting to it by UDP, which sends
// nothing, shows the machine's own address.
const outside = "8.8.8.8:80"

func (h *host) RouteIP() (string, error) {
	h.p.Check()
	conn, err := net.Dial("udp4", outside)
	if err != nil {
		return "", errNoRoute
	}
	defer conn.Close()
	return conn.LocalAddr().(*net.UDPAddr).IP.String(), nil
}

// FreePort returns a port that is free on localhost, or 0 when none is left. It returns no port
// twice: the system may offer a port again while nobody listens on it, and two model servers on one
// port would answer for each other.
//
// The reference takes the port that the system offers. Here that is the last resort, because the
// system offers the same ports to everybody and to each connection. So the port may be taken before
// the process that it is for listens on it, which can take seconds.
func (h *host) FreePort() int {
	h.p.Check()
	for range portTries {
		if port := firstPort + rand.IntN(lastPort-firstPort+1); h.isNew(port) && h.isFree(port) {
			return port
		}
	}
	for range portTries {
		l, err := net.Listen("tcp", net.JoinHostPort(h.localhost, "0"))
		if err != nil {
			return 0
		}
		defer l.Close() // closed only after the search, so that the system does not offer this port again
		port := l.Addr().(*net.TCPAddr).Port
		if h.isNew(port) {
			return port
		}
	}
	return 0
}

const (
	portTries = 64
	// Ports are chosen below those that systems give to outgoing connections. Linux gives those
	// from 32768 on, other systems those from 49152 on.
	firstPort, lastPort = 20000, 32767
)

// isFree reports whether the process could listen on a port now.
func (h *host) isFree(port int) bool {
	l, err := net.Listen("tcp", net.JoinHostPort(h.localhost, strconv.Itoa(port)))
	return err == nil && l.Close() == nil
}

// isNew records that a port was given out, and reports whether this is the first time.
func (h *host) isNew(port int) bool {
	h.portsLock.Lock()
	defer h.portsLock.Unlock()
	if h.ports[port] {
		return false
	}
	if h.ports == nil {
		h.ports = map[int]bool{}
	}
	h.ports[port] = true
	return true
}

var _ env.Host = (*host)(nil)
