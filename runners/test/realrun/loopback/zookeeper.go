package loopback

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/zookeeper/server"
)

// zooKeeper is the server of a cluster. Writes that it has acknowledged survive outages.
type zooKeeper interface {
	// addr returns its address, "" while it is down.
	addr() string
	// timeoutScale returns the factor for session timeouts on their way to the server.
	timeoutScale() float64
	// stop ends the server at once; start brings it back.
	stop() error
	start() error
	// znode reads the tree, or while the server is down the tree as it was last.
	znode(path string) (runners.Znode, bool, error)
	close()
}

func newZooKeeper(c *Cluster) (zooKeeper, error) {
	if c.o.ZooKeeper == Debian {
		return newDebian(c)
	}
	z := &simulated{c: c, dir: filepath.Join(c.disks.root, "zookeeper")}
	if err := os.MkdirAll(z.dir, 0o755); err != nil {
		return nil, err
	}
	return z, z.start()
}

// simulated is `monosim zookeeper`, whose time passes like the cluster's.
type simulated struct {
	c   *Cluster
	dir string

	mu     sync.Mutex
	child  *child
	where  string
	starts int
}

func (z *simulated) addr() string {
	z.mu.Lock()
	defer z.mu.Unlock()
	return z.where
}

func (z *simulated) timeoutScale() float64 { return 1 }

// eventsFile returns the file to which the server appends its writes.
func (z *simulated) eventsFile() string { return filepath.Join(z.dir, "events.jsonl") }

// serveLimit bounds the wall time in which a server has to listen.
const serveLimit = 30 * time.Second

func (z *simulated) start() error {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.child != nil {
		return nil
	}
	z.starts++
	output := z.output()
	args := []string{
		z.c.o.Monosim, "zookeeper", "--listen", z.c.net.ip(1) + ":0",
		"--speed", strconv.FormatFloat(1/z.c.o.TimeScale, 'g', -1, 64) + "x", "--session-clock", "server",
		"--data-dir", filepath.Join(z.dir, "data"), "--events", z.eventsFile(), "--max-client-cnxns", "0",
	}
	if z.c.o.Admin {
		args = append(args, "--admin", "127.0.0.1:0")
	}
	if z.c.spec.ZooKeeper != "" {
		args = append(args, "--profile", z.c.spec.ZooKeeper)
	}
	child, err := z.c.guard.start(Program{Args: args, Env: os.Environ()}, output, false)
	if err != nil {
		return err
	}
	go child.await()
	if z.where, err = z.listening(child, output); err != nil {
		z.c.guard.end(child.pid())
		return err
	}
	z.child = child
	go z.watch(child)
	return nil
}

// listening waits for the address that the server prints.
func (z *simulated) listening(child *child, output string) (string, error) {
	for end := time.Now().Add(serveLimit); ; time.Sleep(2 * time.Millisecond) {
		text, err := os.ReadFile(output)
		if err != nil {
			return "", err
		}
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, z.c.net.prefix) && strings.HasSuffix(line, "\n") {
				return strings.TrimSpace(line), nil
			}
		}
		select {
		case <-child.exited:
			return "", fmt.Errorf("zookeeper has ended before it served: %s", strings.TrimSpace(string(text)))
		default:
		}
		if time.Now().After(end) {
			return "", fmt.Errorf("zookeeper does not serve after %v: %s", serveLimit, strings.TrimSpace(string(text)))
		}
	}
}

// output returns the file for the server's output in its present life.
func (z *simulated) output() string {
	return filepath.Join(z.c.disks.root, logsDir, fmt.Sprintf("zookeeper-%d.log", z.starts))
}

// admin returns the address of its interface for faults, "" without it.
func (z *simulated) admin() string {
	z.mu.Lock()
	defer z.mu.Unlock()
	if !z.c.o.Admin || z.child == nil {
		return ""
	}
	text, err := os.ReadFile(z.output())
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if url, ok := strings.CutPrefix(line, "admin "); ok && strings.HasSuffix(url, "\n") {
			return strings.TrimSpace(url)
		}
	}
	return ""
}

// watch reports a server that ends by itself as a failure of the run.
func (z *simulated) watch(child *child) {
	<-child.exited
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.child == child {
		z.c.fail("the ZooKeeper server has ended by itself: see %s", filepath.Join(z.c.disks.root, logsDir))
	}
}

func (z *simulated) stop() error {
	z.mu.Lock()
	child := z.child
	z.child, z.where = nil, ""
	z.mu.Unlock()
	if child == nil {
		return nil
	}
	z.c.guard.end(child.pid())
	<-child.exited
	return nil
}

func (z *simulated) close() { _ = z.stop() }

func (z *simulated) znode(path string) (runners.Znode, bool, error) {
	node, ok := z.c.journal.znode(path)
	return node, ok, nil
}

// debian is the real server. It knows only the wall clock: under a time scale its ticks are
// shorter, and timeouts are scaled on their way.
type debian struct {
	c *Cluster
	*server.Server

	mu   sync.Mutex
	down bool
}

// debianTick is the default tick of the server, which is told the tick in wall time.
const debianTick = 2 * time.Second

func newDebian(c *Cluster) (zooKeeper, error) {
	s, err := server.New(server.Config{Tick: c.wall(debianTick)})
	if errors.Is(err, server.ErrNotInstalled) {
		return nil, fmt.Errorf("%w: %w", err, runners.ErrUnsupported)
	}
	if err != nil {
		return nil, err
	}
	return &debian{c: c, Server: s}, nil
}

func (z *debian) addr() string {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.down {
		return ""
	}
	return z.Server.Addr()
}

func (z *debian) timeoutScale() float64 { return z.c.o.TimeScale }

func (z *debian) stop() error {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.down = true
	return z.Server.Stop()
}

func (z *debian) start() error {
	z.mu.Lock()
	defer z.mu.Unlock()
	err := z.Server.Start()
	z.down = err != nil
	return err
}

func (z *debian) znode(path string) (runners.Znode, bool, error) {
	return z.c.operator.znode(path)
}

func (z *debian) close() { _ = z.Server.Close() }
