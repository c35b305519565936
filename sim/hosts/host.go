package hosts

import (
	"errors"
	"net/netip"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
)

// A host without addresses returns these errors. Their texts are those of Python's socket module.
var (
	ErrNoName  = errors.New("[Errno -2] Name or service not known")
	ErrNoRoute = errors.New("[Errno 101] Network is unreachable")
)

type hostView struct {
	m    *Machine
	p    *vtime.Process
	vars *Vars
}

func (h *hostView) LookupEnv(key string) (string, bool) {
	h.p.Check()
	return h.vars.Lookup(key)
}

func (h *hostView) Setenv(key, value string) {
	h.p.Acts()
	h.vars.Set(key, value)
}

func (h *hostView) Unsetenv(key string) {
	h.p.Acts()
	h.vars.Unset(key)
}

func (h *hostView) Environ() []string {
	h.p.Check()
	return h.vars.List()
}

func (h *hostView) Hostname() string {
	h.p.Check()
	return h.m.Net.Name()
}

// LookupIP returns the host's first IPv4 address, or ErrNoName if it has none. It works without a
// network, because a host's own name is in /etc/hosts.
func (h *hostView) LookupIP() (string, error) {
	h.p.Check()
	return h.m.firstIP(netip.Addr.Is4, ErrNoName)
}

func (h *hostView) LookupIPv6() (string, error) {
	h.p.Check()
	return h.m.firstIP(netip.Addr.Is6, ErrNoName)
}

// RouteIP returns the host's first IPv4 address. It returns ErrNoRoute if the host has none, or is
// off the network.
func (h *hostView) RouteIP() (string, error) {
	h.p.Acts()
	if h.m.Net.Down() {
		return "", ErrNoRoute
	}
	return h.m.firstIP(netip.Addr.Is4, ErrNoRoute)
}

func (h *hostView) FreePort() int {
	h.p.Acts()
	return h.m.Net.FreePort()
}

// firstIP returns the host's first address for which the function is returns true. If there is no
// such address, it returns the error that is passed as none.
func (m *Machine) firstIP(is func(netip.Addr) bool, none error) (string, error) {
	for _, ip := range m.Net.IPs() {
		if a, err := netip.ParseAddr(ip); err == nil && is(a) {
			return ip, nil
		}
	}
	return "", none
}

var _ env.Host = (*hostView)(nil)
