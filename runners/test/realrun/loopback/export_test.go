package loopback

import (
	"os"

	"github.com/monosim/monosim/runners"
)

// EventsFile returns the file in which a cluster's `monosim zookeeper` records its events.
func EventsFile(c *Cluster) string { return c.zk.(*simulated).eventsFile() }

// FilesOnly makes a cluster that has only files and one pod named p, and no processes.
func FilesOnly(root string, models ...runners.Model) (*Cluster, error) {
	store, err := openDisks(root)
	if err != nil {
		return nil, err
	}
	c := &Cluster{disks: store, spec: runners.Spec{Models: models}}
	c.pods = []*pod{{Pod: runners.Pod{Name: "p"}, c: c, dir: c.disks.podDir("p")}}
	if err := c.disks.own(); err != nil {
		return nil, err
	}
	for _, m := range models {
		if err := c.disks.addModel(m); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// CloseFiles ends the file faults of a cluster from [FilesOnly], as Close does if the
// directory is kept.
func CloseFiles(c *Cluster) error { return c.disks.restore() }

// Disown marks the cluster as owned by a process that no longer exists.
func Disown(c *Cluster) error {
	return os.WriteFile(c.disks.root+"/"+ownerFile, []byte("1 never\n"), 0o600)
}

// RelayAddr returns the address at which a pod finds ZooKeeper.
func RelayAddr(c *Cluster, pod int) string { return c.pods[pod].relay.addr() }

// LastLines is what a message has of a process's output.
var LastLines = lastLines
