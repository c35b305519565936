package machinetest

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
)

var hostCases = []testCase{
	{name: "variables are those that were given and set", environ: []string{"B=2", "EMPTY="}, run: func(r *trial) {
		h := r.e.Host
		for _, c := range []struct {
			key, value string
			ok         bool
		}{{"A", "1", true}, {"B", "2", true}, {"EMPTY", "", true}, {"NONE", "", false}, {"", "", false}} {
			value, ok := h.LookupEnv(c.key)
			r.want("variable "+c.key, [2]any{value, ok}, [2]any{c.value, c.ok})
		}
		h.Setenv("B", "3=3")
		h.Setenv("AA", "new")
		list := h.Environ()
		if !slices.IsSorted(list) {
			r.Errorf("variables are not sorted: %q", list)
		}
		for _, kv := range []string{"A=1", "AA=new", "B=3=3", "EMPTY="} {
			if !slices.Contains(list, kv) {
				r.Errorf("no %q in %q", kv, list)
			}
		}
		h.Unsetenv("NONE")
		h.Unsetenv("B")
		if value, ok := h.LookupEnv("B"); ok || len(h.Environ()) != len(list)-1 {
			r.Errorf("variable B is %q after it was taken away, in %q", value, h.Environ())
		}
		h.Setenv("B", "again")
		value, ok := h.LookupEnv("B")
		r.want("variable B", [2]any{value, ok}, [2]any{"again", true})
	}},
	{name: "a machine has a name and addresses, or says why not", run: func(r *trial) {
		h := r.e.Host
		if h.Hostname() == "" {
			r.Error("no host name")
		}
		for _, c := range []struct {
			name  string
			ask   func() (string, error)
			is    func(netip.Addr) bool
			words string
		}{
			{"LookupIP", h.LookupIP, netip.Addr.Is4, "[Errno -2] Name or service not known"},
			{"LookupIPv6", h.LookupIPv6, netip.Addr.Is6, "[Errno -2] Name or service not known"},
			{"RouteIP", h.RouteIP, netip.Addr.Is4, "[Errno 101] Network is unreachable"},
		} {
			text, err := c.ask()
			if err != nil {
				r.want(c.name, err.Error(), c.words)
				continue
			}
			if ip, err := netip.ParseAddr(text); err != nil || !c.is(ip) {
				r.Errorf("%s: got %q, %v", c.name, text, err)
			}
		}
	}},
	{name: "a free port can be served on", run: func(r *trial) {
		port := r.e.Host.FreePort()
		server, err := r.e.Network.Serve(port, 1, func(string, []byte) ([]byte, error) { return nil, nil })
		r.must(err)
		r.want("port", server.Port(), port)
		server.Stop()
	}},
	{name: "a free port is given once", run: func(r *trial) {
		given := map[int]bool{}
		for range 1000 {
			port := r.e.Host.FreePort()
			if port == 0 || given[port] {
				r.Errorf("port %d was given before, among %d", port, len(given))
				return
			}
			given[port] = true
		}
	}},
	{name: "a process sees the machine's files of programs", run: func(r *trial) {
		for name := range Programs {
			if !env.Exists(r.e.Files, r.Program(name)) || !strings.HasSuffix(r.Program(name), "/"+name) {
				r.Errorf("program %s: found %s", name, r.Program(name))
			}
		}
	}},
}
