package loopback

import (
	"errors"
	"fmt"
	"path"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/zookeeper/server"
)

// debian is Java's server, or an ensemble of it. It knows only the wall clock: under a time scale
// its ticks are shorter, and timeouts are scaled on their way.
type debian struct {
	c       *Cluster
	servers server.Ensemble

	mu   sync.Mutex
	down bool
}

// debianTick is the default tick of the server, which is told the tick in wall time.
const debianTick = 2 * time.Second

func newDebian(c *Cluster, size int) (zooKeeper, error) {
	if err := wantProfile(c.spec, c.o.ZooKeeper, server.Profile()); err != nil {
		return nil, err
	}
	z := &debian{c: c}
	cfg := server.Config{Tick: c.wall(debianTick)}
	var err error
	if size == 1 {
		z.servers = make(server.Ensemble, 1)
		z.servers[0], err = server.New(cfg)
	} else {
		z.servers, err = server.NewEnsemble(cfg, size)
	}
	if err != nil {
		return nil, err
	}
	return z, nil
}

func (z *debian) addrs() []string {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.down {
		return nil
	}
	return z.servers.Addrs()
}

func (z *debian) timeoutScale() float64 { return z.c.o.TimeScale }
func (z *debian) clockScale() float64   { return 1 }
func (z *debian) chroot() string        { return "" }

func (z *debian) stop() error {
	if len(z.servers) > 1 {
		return &runners.BackendError{Reason: "Java's ensemble takes seconds of the clock to elect a leader after an outage"}
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	z.down = true
	return z.servers.Stop()
}

func (z *debian) start() error {
	z.mu.Lock()
	defer z.mu.Unlock()
	err := z.servers.Start()
	z.down = err != nil
	return err
}

func (z *debian) close() { _ = z.servers.Close() }

// remote is a ZooKeeper that was there before the run and stays. A znode of it is the root of the
// cluster.
type remote struct {
	list []string
	root string
}

func newRemote(c *Cluster, addrs []string) (zooKeeper, error) {
	if err := wantProfile(c.spec, c.o.ZooKeeper, ""); err != nil {
		return nil, err
	}
	z := &remote{list: addrs, root: path.Join("/", "monosim-"+path.Base(c.disks.root))}
	return z, z.do(func(conn *zk.Conn) error {
		_, err := conn.Create(z.root, nil, 0, zk.WorldACL(zk.PermAll))
		return err
	})
}

func (z *remote) addrs() []string       { return z.list }
func (z *remote) timeoutScale() float64 { return 1 }
func (z *remote) clockScale() float64   { return 1 }
func (z *remote) chroot() string        { return z.root }

func (z *remote) stop() error {
	return &runners.BackendError{Reason: "the ZooKeeper is not the run's own, and stays up"}
}

func (z *remote) start() error { return nil }

// close removes what the cluster has left. What cannot be removed stays, as the server does.
func (z *remote) close() {
	_ = z.do(func(conn *zk.Conn) error { return removeAll(conn, z.root) })
}

// removeAll deletes a znode with all below it.
func removeAll(conn *zk.Conn, name string) error {
	children, _, err := conn.Children(name)
	for _, child := range children {
		err = errors.Join(err, removeAll(conn, path.Join(name, child)))
	}
	if err = errors.Join(err, conn.Delete(name, -1)); errors.Is(err, zk.ErrNoNode) {
		return nil // an ephemeral that has ended
	}
	return err
}

// remoteLimit bounds the wall time of an act on the server.
const remoteLimit = 20 * time.Second

// do lets fn act on the server.
func (z *remote) do(fn func(*zk.Conn) error) error {
	conn, _, err := zk.Connect(z.list, 10*time.Second, zk.WithLogInfo(false), zk.WithLogger(silent{}))
	if err != nil {
		return err
	}
	defer conn.Close()
	done := make(chan error, 1)
	go func() { done <- fn(conn) }()
	select {
	case err := <-done:
		return err
	case <-time.After(remoteLimit):
		return fmt.Errorf("ZooKeeper %v: no answer after %v", z.list, remoteLimit)
	}
}

// silent is a log of the library's that drops everything.
type silent struct{}

func (silent) Printf(string, ...any) {}
