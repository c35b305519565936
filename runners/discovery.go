package runners

import (
	"net"
	"slices"
	"strings"
)

// ListedOn asks the agent of a pod by HeartBeat where key is served, and returns the names
// of these pods, sorted. key is "ctr:entry" for an agent of version 3, which lists all
// models, and "ps:0", "entry:0" or "dense:0" for one of version 1. An address that belongs
// to no pod is returned itself. The error is that of the call.
func ListedOn(o Observer, pod, key string) ([]string, error) {
	answer, err := o.HeartBeat(pod, serverType(key))
	if err != nil {
		return nil, err
	}
	var addrs []string
	for _, a := range answer {
		if a.Key == key {
			addrs = a.Addrs
		}
	}
	return PodsAt(o, addrs)
}

// serverType returns the server type of a v1 key such as "ps:0". v3 lists all models
// whatever the type.
func serverType(key string) string {
	switch kind, _, _ := strings.Cut(key, ":"); kind {
	case "ps", "entry", "dense":
		return kind
	}
	return "ps"
}

// PodsAt returns the names of the pods at addresses such as "10.0.0.1:8500", sorted. Ports
// are ignored. An address that belongs to no pod stays as it is.
func PodsAt(o Observer, addrs []string) ([]string, error) {
	var names []string
	for _, addr := range addrs {
		name := addr
		if host, port, err := net.SplitHostPort(addr); err == nil && port != "None" {
			for _, p := range o.Pods() {
				s, err := o.PodState(p.Name)
				if err != nil {
					return nil, err
				}
				if s.IP == host {
					name = p.Name
				}
			}
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}
