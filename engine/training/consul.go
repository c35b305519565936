package training

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// ConsulClient registers services at a Consul agent and looks them up
// (consul.py:45).
type ConsulClient interface {
	// Lookup answers the registered elements of a service: Python values, each an
	// object of Port, Host and Tags.
	Lookup(service string, timeoutSeconds int) ([]any, error)
	Register(service string, port int, tags ConsulTags) error
	Deregister(service string, port int) error
}

// ConsulTags are what a registration says about a process.
type ConsulTags struct {
	Index int
	Name  string
	IP    string
}

// ConsulAddress is the Consul agent that a process talks to. A host that begins
// with a slash is a Unix socket.
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

// FindConsul is the address by the variables CONSUL_HTTP_HOST or TCE_HOST_IP, and
// CONSUL_HTTP_PORT; empty ones count as unset. Without a host it is the socket,
// if that is a file, else the local host.
func FindConsul(e *env.Env) (ConsulAddress, error) {
	host := firstSet(e.Host, "CONSUL_HTTP_HOST", "TCE_HOST_IP")
	if host == "" {
		host = consulHost
		if info, err := e.Files.Stat(consulSocket); err == nil && !info.Dir {
			host = consulSocket
		}
	}
	text := firstSet(e.Host, "CONSUL_HTTP_PORT")
	if text == "" {
		text = consulPort
	}
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
