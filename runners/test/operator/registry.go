package operator

import (
	"net"
	"slices"
	"strconv"
	"strings"
)

// Registration is a service as a Consul agent lists it.
type Registration struct {
	Port int      `json:"port"`
	Tags []string `json:"tags"`
	// Listed reports whether a look-up returns the service.
	Listed bool `json:"listed"`
}

// RegisteredAddr returns the address under which a look-up finds a process of a training
// job. role is the type of the process, such as "worker", and index its number. As in the
// reference's discovery, the last registration with both a tag ip and a port counts.
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
