package caseworld

import (
	"fmt"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/sim/hosts"
)

// freePort is the port that find_free_port returns in every case.
const freePort = 59999

// Host is the case's host. It has environment variables, and addresses that look-ups find. If the
// case gives "" as an address, its look-up fails.
type Host struct {
	env.Host
	ipv4, ipv6, route string
}

// SetVariables sets environment variables of the case's process. Variables whose value is null are
// unset.
func (c *Call) SetVariables(variables Arguments) {
	for _, item := range variables.Items {
		if item.Value == nil {
			c.Host.Unsetenv(item.Key)
			continue
		}
		c.Host.Setenv(item.Key, variables.Str(item.Key))
	}
}

func (h *Host) LookupIP() (string, error)   { return found(h.ipv4, hosts.ErrNoName) }
func (h *Host) LookupIPv6() (string, error) { return found(h.ipv6, hosts.ErrNoName) }
func (h *Host) RouteIP() (string, error)    { return found(h.route, hosts.ErrNoRoute) }
func (h *Host) FreePort() int               { return freePort }

func found(ip string, otherwise error) (string, error) {
	if ip == "" {
		return "", otherwise
	}
	return ip, nil
}

// newHost makes a host with the defaults in section 3 of the protocol. The case may override them.
func newHost(d *pysem.Dict) (h *Host, memAvailable int64) {
	h = &Host{ipv4: "192.0.2.10", ipv6: "2001:db8::10"}
	memAvailable = 7000000000
	if d == nil {
		return h, memAvailable
	}
	for _, item := range d.Items {
		switch v := item.Value.(type) {
		case string, nil:
			text, _ := v.(string)
			switch item.Key {
			case "gethostbyname":
				h.ipv4 = text
				continue
			case "ipv6":
				h.ipv6 = text
				continue
			case "udp_ip":
				h.route = text
				continue
			}
		case int:
			if item.Key == "mem_available" {
				memAvailable = int64(v)
				continue
			}
		}
		BadCasef("host.%s: found %s, want gethostbyname, ipv6, udp_ip (a string or null) or mem_available (an int)", item.Key, pysem.Repr(item.Value))
	}
	return h, memAvailable
}

// meminfo returns a /proc/meminfo in which this many bytes are available. The total is twice as
// much. Sizes have no unit and count bytes.
func meminfo(available int64) []byte {
	return fmt.Appendf(nil, "MemTotal: %d\nMemFree: %d\nMemAvailable: %d\n", 2*available, available, available)
}
