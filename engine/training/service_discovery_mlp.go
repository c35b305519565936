package training

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// MLPServiceDiscovery finds processes by the environment variables that the MLP scheduler sets
// (service_discovery.py:417). Registering and deregistering only change what this process sees.
type MLPServiceDiscovery struct {
	e       *env.Env
	mlp     *MLPEnv // nil once closed
	addr    string
	filters map[string]bool // processes that it hides, such as "ps:0"
}

// NewMLPServiceDiscovery reads the environment as [NewMLPEnv] does, with its errors.
func NewMLPServiceDiscovery(e *env.Env) (*MLPServiceDiscovery, error) {
	mlp, err := NewMLPEnv(e)
	if err != nil {
		return nil, err
	}
	return &MLPServiceDiscovery{e: e, mlp: mlp, addr: fmt.Sprintf("%s:%d", mlp.Host, mlp.Port), filters: map[string]bool{}}, nil
}

// check returns an error if a process does not fit the environment: an unknown role, too high an
// index, another port, or a host that is neither local nor the expected one.
func (d *MLPServiceDiscovery) check(name string, index int, addr string) error {
	if d.mlp == nil {
		return nil
	}
	if !d.mlp.HasRole(strings.ToUpper(name)) {
		return assertion()
	}
	role := pysem.Some(name)
	count, err := d.mlp.NumReplicas(role)
	if err != nil {
		return err
	}
	if index >= count {
		return assertion()
	}
	expected, err := d.mlp.Addr(role, pysem.Some(index))
	if err != nil {
		return err
	}
	if !expected.Set {
		return pysem.AttributeError(nil, "split")
	}
	wantHost, wantPort, err := splitAddr(expected.V)
	if err != nil {
		return err
	}
	host, port, err := splitAddr(addr)
	if err != nil {
		return err
	}
	other, err := d.mlp.HostOf(OptString{}, OptInt{}, false)
	if err != nil {
		return err
	}
	known := []string{"local", "localhost", "127.0.0.1", "0.0.0.0", wantHost, d.mlp.Host}
	if !slices.Contains(known, host) && (!other.Set || other.V != host) || port != wantPort {
		return assertion()
	}
	return nil
}

// splitAddr splits host:port; more or fewer colons are a ValueError.
func splitAddr(addr string) (host, port string, err error) {
	parts := strings.Split(addr, ":")
	if len(parts) != 2 {
		return "", "", pysem.UnpackError(2, len(parts))
	}
	return parts[0], parts[1], nil
}

func filterKey(name string, index int) string {
	return fmt.Sprintf("%s:%d", strings.ToLower(name), index)
}

// Register makes a hidden process visible again. An unknown role, too high an index, or another
// address is an AssertionError.
func (d *MLPServiceDiscovery) Register(name string, index int, addr string) error {
	if err := d.check(name, index, addr); err != nil {
		return err
	}
	delete(d.filters, filterKey(name, index))
	return nil
}

// Deregister hides a process from queries. The errors are those of Register.
func (d *MLPServiceDiscovery) Deregister(name string, index int, addr string) error {
	if err := d.check(name, index, addr); err != nil {
		return err
	}
	d.filters[filterKey(name, index)] = true
	return nil
}

// portWait is how long Query waits for each PS to listen.
const portWait = time.Hour

// Query lists the processes of a role that are not hidden. It waits up to an hour until each PS
// listens. A PS that still does not listen, or a process of unknown address, is an AssertionError.
func (d *MLPServiceDiscovery) Query(name string) (Addrs, error) { return d.QueryAddrs(name, false) }

// QueryAddrs lists processes as Query does. With skipPortCheck it does not wait until PS listen.
func (d *MLPServiceDiscovery) QueryAddrs(name string, skipPortCheck bool) (Addrs, error) {
	if name == "" {
		return nil, assertion()
	}
	addrs := Addrs{}
	if d.mlp == nil {
		return addrs, nil
	}
	count, err := d.mlp.NumReplicas(pysem.Some(name))
	if err != nil {
		return nil, err
	}
	for i := range count {
		addr, err := d.mlp.Addr(pysem.Some(name), pysem.Some(i))
		if err != nil {
			return nil, err
		}
		if !addr.Set {
			return nil, assertion()
		}
		if d.filters[filterKey(name, i)] {
			continue
		}
		addrs = append(addrs, IndexedAddr{Index: i, Addr: addr.V})
		if strings.ToLower(name) != "ps" || skipPortCheck {
			continue
		}
		if err := d.checkListens(addr.V); err != nil {
			return nil, err
		}
	}
	return addrs, nil
}

func (d *MLPServiceDiscovery) checkListens(addr string) error {
	host, port, err := splitAddr(addr)
	if err != nil {
		return err
	}
	if _, err := pysem.ParseInt(port); err != nil {
		return err
	}
	if !CheckPort(d.e, host, port, portWait) {
		return pysem.Raise("AssertionError", "%s connect error!", addr)
	}
	return nil
}

// DeregisterAll hides all processes from queries.
func (d *MLPServiceDiscovery) DeregisterAll() {
	if d.mlp == nil {
		return
	}
	for _, role := range d.mlp.Roles {
		for i := range role.Count {
			d.filters[filterKey(role.Role, i)] = true
		}
	}
}

// QueryAll lists the processes of each of the roles ps, worker and chief. It does not wait until PS
// listen.
func (d *MLPServiceDiscovery) QueryAll() ([]NamedAddrs, error) {
	var all []NamedAddrs
	if d.mlp == nil {
		return nil, nil
	}
	for _, role := range d.mlp.Roles {
		name := strings.ToLower(role.Role)
		if name != "ps" && name != "worker" && name != "chief" {
			continue
		}
		addrs, err := d.QueryAddrs(name, true)
		if err != nil {
			return nil, err
		}
		all = append(all, NamedAddrs{Name: name, Addrs: addrs})
	}
	return all, nil
}

// ServerType returns this process's role in lower case, None once closed.
func (d *MLPServiceDiscovery) ServerType() OptString {
	if d.mlp == nil {
		return OptString{}
	}
	return pysem.Some(strings.ToLower(d.mlp.Role))
}

// Index returns this process's index in its role, None once closed.
func (d *MLPServiceDiscovery) Index() OptInt {
	if d.mlp == nil {
		return OptInt{}
	}
	return pysem.Some(d.mlp.Index)
}

// Addr returns this process's address, host:port.
func (d *MLPServiceDiscovery) Addr() string { return d.addr }

// Closed reports whether Close was called.
func (d *MLPServiceDiscovery) Closed() bool { return d.mlp == nil }

// Close forgets everything. Queries find nothing from then on.
func (d *MLPServiceDiscovery) Close() {
	d.mlp = nil
	clear(d.filters)
}

// CheckPort waits at most limit until host:port accepts a connection, and reports whether it does
// (mlp_utils.py:41). It tries once a second. The reference tries without pauses, and counts whole
// seconds. If the limit cuts an attempt short, there is no further attempt.
func CheckPort(e *env.Env, host, port string, limit time.Duration) bool {
	start, remaining := e.Clock.Now(), limit
	for remaining > 0 {
		err := e.Network.Probe(ConcatIPAndPort(strings.Trim(host, "[]"), port), remaining)
		if err == nil || errors.Is(err, env.ErrProbeTimedOut) {
			return err == nil
		}
		if remaining = limit - e.Clock.Now().Sub(start).Truncate(time.Second); remaining > 0 {
			e.Tasks.Sleep(time.Second)
		}
	}
	return false
}

var _ ServiceDiscovery = (*MLPServiceDiscovery)(nil)
