package training

import (
	"cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
)

// ConsulClient registers services with a Consul agent and looks them up (consul.py:45). Package
// consul implements it over HTTP.
type ConsulClient interface {
	// Lookup returns the registered elements of a service. The request times out after
	// timeoutSeconds. Each element is a Python object with Port, Host and Tags.
	Lookup(service string, timeoutSeconds int) ([]any, error)
	// Register adds an element for a port of this host.
	Register(service string, port int, tags ConsulTags) error
	// Deregister removes the element for that port of this host.
	Deregister(service string, port int) error
}

// ConsulTags holds the tags of a process's registration.
type ConsulTags struct {
	Index int
	Name  string
	IP    string
}

// ConsulAddress is the address of a process's Consul agent. If Host begins with a slash, it is the
// path of a Unix socket and Port is ignored.
type ConsulAddress struct {
	Host string
	Port int
}

// These are the default addresses of the agent (consul.py:50).
const (
	consulSocket = "/opt/tmp/sock/consul.sock"
	consulHost   = "127.0.0.1"
	consulPort   = "2280"
)

// FindConsul finds the address of the Consul agent (consul.py:50). The host is CONSUL_HTTP_HOST or
// TCE_HOST_IP if one is set. Otherwise it is the path of the agent's socket, but only if that is a
// regular file, which a socket never is. With Q304 repaired it must be a socket. Otherwise it is
// 127.0.0.1. The port is CONSUL_HTTP_PORT or 2280. Empty variables count as unset. A port that is
// not a number raises a ValueError.
func FindConsul(e *env.Env, kept jobquirks.Set) (ConsulAddress, error) {
	host := firstSet(e.Host, "CONSUL_HTTP_HOST", "TCE_HOST_IP")
	if host == "" {
		host = consulHost
		if info, err := e.Files.Stat(consulSocket); err == nil && !info.Dir && (!info.Socket || !kept.Keeps(jobquirks.Q304)) {
			host = consulSocket
		}
	}
	text := cmp.Or(firstSet(e.Host, "CONSUL_HTTP_PORT"), consulPort)
	port, _, err := pysem.ParseSmallInt(text)
	return ConsulAddress{Host: host, Port: port}, err
}

func firstSet(host env.Host, keys ...string) string {
	for _, key := range keys {
		if v, _ := host.LookupEnv(key); v != "" {
			return v
		}
	}
	return ""
}
