package training

import (
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// ConsulServiceDiscovery registers processes as elements of one Consul service
// (service_discovery.py:80).
type ConsulServiceDiscovery struct {
	e         *env.Env
	client    ConsulClient
	id        string
	retryTime time.Duration
}

// The limits of the discovery (service_discovery.py:64, :119).
const (
	consulTries          = 5
	consulLookupSeconds  = 15
	consulMaxBackoff     = 5 * time.Second
	consulConfirmRetries = 36 // 180 s
)

// NewConsulServiceDiscovery makes a discovery over a service. retryTime is the pause after each
// attempt to remove an old registration, 3 s in the reference.
func NewConsulServiceDiscovery(e *env.Env, client ConsulClient, id string, retryTime time.Duration) *ConsulServiceDiscovery {
	return &ConsulServiceDiscovery{e: e, client: client, id: id, retryTime: retryTime}
}

// retry calls fn up to five times while it fails with a socket error.
func (d *ConsulServiceDiscovery) retry(fn func() error) error {
	for try := 1; ; try++ {
		err := fn()
		if err == nil || !IsSocketError(err) || try == consulTries {
			return err
		}
		d.e.Tasks.Sleep(time.Duration(d.e.Random.Float64("consul.retry") * float64(consulMaxBackoff)))
	}
}

// IsSocketError reports whether Python's exception is an OSError. In Python, socket.error is an
// alias of OSError.
func IsSocketError(err error) bool {
	return slices.Contains([]string{
		"OSError", "gaierror", "timeout", "TimeoutError", "ConnectionError", "ConnectionRefusedError",
		"ConnectionResetError", "ConnectionAbortedError", "BrokenPipeError", "RemoteDisconnected", "FileNotFoundError", "PermissionError",
	}, pysem.TypeOf(err))
}

// Register removes other registrations of the same name and index, registers the address, and waits
// up to three minutes until Consul lists it. If Consul does not list it, Register concludes that
// the machine is blacklisted and returns an OSError.
func (d *ConsulServiceDiscovery) Register(name string, index int, addr string) error {
	for {
		addrs, err := d.Query(name)
		if err != nil {
			return err
		}
		old, ok := addrs.Get(index)
		if !ok {
			break
		}
		if err := d.Deregister(name, index, old); err != nil {
			return err
		}
		d.e.Tasks.Sleep(d.retryTime)
	}
	host, port, err := hostAndPort(addr)
	if err != nil {
		return err
	}
	tags := ConsulTags{Index: index, Name: name, IP: host}
	if err := d.retry(func() error { return d.client.Register(d.id, port, tags) }); err != nil {
		return err
	}
	for retries := 0; ; retries++ {
		addrs, err := d.Query(name)
		if err != nil {
			return err
		}
		if _, ok := addrs.Get(index); ok {
			return nil
		}
		if retries == consulConfirmRetries {
			return pysem.Raise("OSError", "This machine is blacklisted by consul.")
		}
		d.e.Tasks.Sleep(consulMaxBackoff)
	}
}

// Deregister removes whatever is registered at the port of addr on this host. Name and index are
// ignored. An address that is not host:port is a ValueError.
func (d *ConsulServiceDiscovery) Deregister(_ string, _ int, addr string) error {
	_, port, err := hostAndPort(addr)
	if err != nil {
		return err
	}
	return d.retry(func() error { return d.client.Deregister(d.id, port) })
}

// DeregisterAll takes the ports of all registered processes of the service. It removes the
// registrations at these ports on this host, and none on other hosts.
func (d *ConsulServiceDiscovery) DeregisterAll() error {
	all, err := d.QueryAll()
	if err != nil {
		return err
	}
	for _, named := range all {
		for _, entry := range named.Addrs {
			if err := d.Deregister(named.Name, entry.Index, entry.Addr); err != nil {
				return err
			}
		}
	}
	return nil
}

// QueryAll lists all processes by name, in the order of Consul's answer.
func (d *ConsulServiceDiscovery) QueryAll() ([]NamedAddrs, error) {
	var elements []any
	err := d.retry(func() (err error) {
		elements, err = d.client.Lookup(d.id, consulLookupSeconds)
		return err
	})
	if err != nil {
		return nil, err
	}
	var all []NamedAddrs
	for _, element := range elements {
		name, process, err := consulElement(element)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(all, func(n NamedAddrs) bool { return n.Name == name })
		if i < 0 {
			i = len(all)
			all = append(all, NamedAddrs{Name: name})
		}
		all[i].Addrs = all[i].Addrs.with(process)
	}
	return all, nil
}

// consulElement reads one registration of Consul's answer, such as
// {"Port": 1, "Tags": {"name", "ip", "index"}}.
func consulElement(element any) (name string, process IndexedAddr, err error) {
	tags, err := pysem.Subscript(element, "Tags")
	if err != nil {
		return "", process, err
	}
	var values [3]any
	for i, key := range []string{"name", "ip", "index"} {
		// The port is read after the address, as Python evaluates the arguments of its format
		// string.
		if values[i], err = pysem.Subscript(tags, key); err != nil {
			return "", process, err
		}
		if key == "ip" {
			port, err := pysem.Subscript(element, "Port")
			if err != nil {
				return "", process, err
			}
			process.Addr = pysem.Str(values[i]) + ":" + pysem.Str(port)
		}
	}
	number, err := pysem.ToInt(values[2])
	at := slotOf(number)
	process.Index, process.Past = at.n, at.past
	return pysem.Str(values[0]), process, err
}

// Query lists the processes of a name that Consul lists now.
func (d *ConsulServiceDiscovery) Query(name string) (Addrs, error) {
	all, err := d.QueryAll()
	if err != nil {
		return nil, err
	}
	for _, named := range all {
		if named.Name == name {
			return named.Addrs, nil
		}
	}
	return Addrs{}, nil
}

// Close does nothing.
func (d *ConsulServiceDiscovery) Close() {}

// hostAndPort splits host:port; another form is a ValueError.
func hostAndPort(addr string) (host string, port int, err error) {
	parts := strings.Split(addr, ":")
	if len(parts) != 2 {
		return "", 0, pysem.Raise("ValueError", "Invalid addr: %s", addr)
	}
	port, _, err = pysem.ParseSmallInt(parts[1])
	return parts[0], port, err
}

var _ ServiceDiscovery = (*ConsulServiceDiscovery)(nil)
