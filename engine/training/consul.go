package training

import (
	"cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
)

// ConsulClient registers services at a Consul agent and looks them up (consul.py:45). Package
// consul has an implementation over HTTP.
type ConsulClient interface {
	// Lookup returns the registered elements of a service. timeoutSeconds limits the request. Each
	// element is a Python object with Port, Host and Tags.
	Lookup(service string, timeoutSeconds int) ([]any, error)
	// Register adds an element at a port of this host.
	Register(service string, port int, tags ConsulTags) error
	// Deregister removes the element at that port of this host.
	Deregister(service string, port int) error
}

// ConsulTags holds the tags with which a process is registered.
type ConsulTags struct {
	Index int
	Name  string
	IP    string
}

// ConsulAddress is where a process reaches its Consul agent. A Host that begins with a slash is the
// path of a Unix socket; Port does not matter then.
type ConsulAddress struct {
	Host string
	Port int
}

// The defaults of the agent's address (consul.py:50).
const (
	consulSocket = "/opt/tmp/sock/consul.sock"
	consulHost   = "127.0.0.1"
	consulPort   = "2280"
)

// FindConsul finds the address of the Consul agent (consul.py:50). The host is CONSUL_HTTP_HOST or
// TCE_HOST_IP. Otherwise it is the agent's socket if that is a regular file, which a socket is not;
// with Q304 repaired, if it is a socket. Otherwise it is 127.0.0.1. The port is CONSUL_HTTP_PORT,
// or 2280. Empty variables count as unset; a port that is no number is a ValueError.
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
