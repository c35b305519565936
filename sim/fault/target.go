package fault

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/consul"
	consulnode "github.com/monosim/monosim/sim/consul/node"
	"github.com/monosim/monosim/sim/files"
	"github.com/monosim/monosim/sim/world"
	"github.com/monosim/monosim/sim/zookeeper/node"
)

// zooKeeperOf returns the ZooKeeper server. Under the profile kazoo-fake there is none, and the error
// is cluster.ErrUnsupported.
func zooKeeperOf(w *world.World) (*node.Server, error) {
	if zk := w.ZooKeeper(); zk != nil {
		return zk, nil
	}
	return nil, fmt.Errorf("profile kazoo-fake has no server: %w", cluster.ErrUnsupported)
}

// zooKeeperFor returns the ZooKeeper server for a fault of one pod, which must exist.
func zooKeeperFor(w *world.World, pod string) (*node.Server, error) {
	if _, err := w.FindPod(pod); err != nil {
		return nil, err
	}
	return zooKeeperOf(w)
}

// signalAgent sends a signal to the agent of a pod, and lets it arrive.
func signalAgent(w *world.World, pod string, sig env.Signal) error {
	p, err := w.FindPod(pod)
	if err != nil {
		return err
	}
	if p.Agent() == nil {
		return fmt.Errorf("pod %s: found no running agent to send %s", pod, sig)
	}
	if err := p.Agent().Signal(sig); err != nil {
		return err
	}
	return w.Settle()
}

// changeStored changes the content of a file in the training job's directories.
func changeStored(w *world.World, f cluster.Fault, change func(data []byte) []byte) error {
	if len(w.Trainers()) == 0 {
		return fmt.Errorf("stored file: found no training job, want one that has files")
	}
	fsys, inside := w.StoreOf(f.BasePath)
	data, err := fsys.ReadFile(inside)
	if err != nil {
		return fmt.Errorf("stored file %s: %w", f.BasePath, err)
	}
	return fsys.WriteTree(map[string]string{inside: string(change(data))})
}

// hostsAt converts places to the names of hosts.
func hostsAt(w *world.World, places []string) ([]string, error) {
	var hosts []string
	for _, place := range places {
		idc, isIDC := strings.CutPrefix(place, "idc:")
		switch {
		case place == world.ZooKeeperHost:
			hosts = append(hosts, place)
		case isIDC:
			found := len(hosts)
			for _, p := range w.Pods() {
				if !p.Bare() && p.Location.IDC == idc {
					hosts = append(hosts, p.Name)
				}
			}
			if len(hosts) == found {
				return nil, fmt.Errorf("place: found %q, want the idc of a pod", place)
			}
		default:
			if _, err := w.FindPod(place); err != nil {
				return nil, err
			}
			hosts = append(hosts, place)
		}
	}
	return hosts, nil
}

// between changes the network from one group of places to another.
func between(w *world.World, f cluster.Fault, do func(from, to []string) error) error {
	from, err := hostsAt(w, f.From)
	if err != nil {
		return err
	}
	to, err := hostsAt(w, f.To)
	if err != nil {
		return err
	}
	return do(from, to)
}

// storeOf returns the store with the base path of a fault, and the path inside the store.
func storeOf(w *world.World, f cluster.Fault) (fs *files.FS, dir string) {
	return w.StoreOf(f.BasePath)
}

// versionOf returns the store, and the directory of the version that a fault hits.
func versionOf(w *world.World, f cluster.Fault) (fs *files.FS, dir string) {
	fs, dir = storeOf(w, f)
	return fs, path.Join(dir, strconv.FormatInt(f.N, 10))
}

// aside returns the path that keeps a hidden directory until the end of the fault.
func aside(dir string) string { return "/.aside" + dir }

// move renames a file or directory, and makes the parents of the new path.
func move(fs *files.FS, from, to string) error {
	if err := fs.MkdirAll(path.Dir(to)); err != nil {
		return err
	}
	return fs.Rename(from, to)
}

// These are the paths of the two parts of a version, below its directory.
const (
	graphFile     = "/saved_model.pb"
	variablesFile = "/variables/variables.data-00000-of-00001"
)

// wantMissing returns an error when the part of a version that is about to arrive exists already.
func wantMissing(fs *files.FS, f cluster.Fault, part string) error {
	if _, err := fs.Stat(part); err == nil {
		return fmt.Errorf("version %d of %s: found no part that is missing", f.N, f.BasePath)
	}
	return nil
}

// writeGraph writes the graph of a version that cannot load without its variables.
func writeGraph(fs *files.FS, version string) error {
	return fs.WriteTree(map[string]string{version + graphFile: `{"variables": ["w"]}`})
}

// consulOf returns the Consul agent of a training job.
func consulOf(w *world.World) (*consulnode.Server, error) {
	if s := w.Consul(); s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("consul: found none, want a training job with the discovery consul")
}

// onConsul changes the faults of the Consul agent.
func onConsul(w *world.World, do func(f *consul.Faults)) error {
	s, err := consulOf(w)
	if err != nil {
		return err
	}
	changed := *s.Agent().Faults()
	do(&changed)
	if err := changed.Check(); err != nil {
		return err
	}
	*s.Agent().Faults() = changed
	return nil
}

// consulFault returns a kind of fault of the Consul agent. begin and end change the agent's faults.
func consulFault(k cluster.FaultKind, begin func(c *consul.Faults, f cluster.Fault), end func(c *consul.Faults, f cluster.Fault)) Kind {
	return Kind{
		FaultKind: k,
		Begin: func(w *world.World, f cluster.Fault) error {
			return onConsul(w, func(c *consul.Faults) { begin(c, f) })
		},
		End: func(w *world.World, f cluster.Fault) error {
			return onConsul(w, func(c *consul.Faults) { end(c, f) })
		},
	}
}
