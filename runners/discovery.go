package runners

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
)

// ListedOn asks a pod's agent by HeartBeat which pods serve key, and returns their names, sorted.
// key is "ctr:entry" for an agent of version 3, which lists all models. For version 1 it is "ps:0",
// "entry:0" or "dense:0". An address that belongs to no pod is returned as it is. The error is the
// error of the HeartBeat call.
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

// ListedAlone asks a pod's agent of version 1 by GetReplicas which pods serve the task of a key such as
// "ps:0", and returns their names as ListedOn does.
func ListedAlone(o Observer, pod, key string) ([]string, error) {
	_, number, _ := strings.Cut(key, ":")
	task, err := strconv.Atoi(number)
	if err != nil {
		return nil, fmt.Errorf("key %q: found no number of a task after the colon", key)
	}
	addrs, err := o.GetReplicas(pod, serverType(key), task)
	if err != nil {
		return nil, err
	}
	return PodsAt(o, addrs)
}

// serverType returns the server type of a v1 key, such as "ps" for "ps:0". An agent of version 3
// lists all models for any server type.
func serverType(key string) string {
	switch kind, _, _ := strings.Cut(key, ":"); kind {
	case "ps", "entry", "dense":
		return kind
	}
	return "ps"
}

// PodsAt returns the names of the pods with these addresses, such as "10.0.0.1:8500", sorted. An address
// stays as it is if it belongs to no pod, or if its port is known to be none of a model server's gRPC.
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
				number, _ := strconv.Atoi(port) // a text that is no number gives 0, which is no port
				if s.IP == host && !slices.Contains(s.Others, number) {
					name = p.Name
				}
			}
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}
