package operator

import (
	"net"
	"slices"
	"strconv"
	"strings"
)

// Registration is what a Consul agent tells of a service.
type Registration struct {
	Port int      `json:"port"`
	Tags []string `json:"tags"`
	// Listed is whether a look-up answers it.
	Listed bool `json:"listed"`
}

// RegisteredAddr is the address that a look-up among registrations has for a process of a
// training job by its type, as "worker", and its index: the tag ip and the port of the last
// that has both, as the discovery takes them.
func RegisteredAddr(list []Registration, role string, index int) (addr string, ok bool) {
	for _, r := range list {
		if !r.Listed || !slices.Contains(r.Tags, "index:"+strconv.Itoa(index)) || !slices.Contains(r.Tags, "name:"+role) {
			continue
		}
		for _, tag := range r.Tags {
			if ip, is := strings.CutPrefix(tag, "ip:"); is {
				addr, ok = net.JoinHostPort(ip, strconv.Itoa(r.Port)), true
			}
		}
	}
	return addr, ok
}
