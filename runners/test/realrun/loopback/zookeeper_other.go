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

// debian is the Java server of Debian, or an ensemble of it. It runs on the wall clock.
// Under a time scale, its ticks are shortened, and session timeouts are scaled on their way
// to it.
type debian struct {
	c       *Cluster
	servers server.Ensemble

	mu   sync.Mutex
	down bool
}

// debianTick is the server's default tick in cluster time. The server is configured with
// this tick in wall time.
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

// remote is a ZooKeeper that existed before the run and stays afterwards. The znode root
// serves as the cluster's root.
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

// close deletes the znodes that the cluster has left. Errors are ignored.
func (z *remote) close() {
	_ = z.do(func(conn *zk.Conn) error { return removeAll(conn, z.root) })
}

// removeAll deletes a znode and everything below it.
func removeAll(conn *zk.Conn, name string) error {
	children, _, err := conn.Children(name)
	for _, child := range children {
		err = errors.Join(err, removeAll(conn, path.Join(name, child)))
	}
	if err = errors.Join(err, conn.Delete(name, -1)); errors.Is(err, zk.ErrNoNode) {
		return nil // the znode is gone already: an ephemeral one whose session has ended, for example
	}
	return err
}

// remoteLimit is the timeout of an operation on the existing server, in wall time.
const remoteLimit = 20 * time.Second

// do runs fn with a connection to the existing server.
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

// silent is a logger for the ZooKeeper library that discards everything.
type silent struct{}

func (silent) Printf(string, ...any) {}
