package loopback

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// simulated is a process of `monosim zookeeper`, whose time runs at the cluster's speed.
type simulated struct {
	c   *Cluster
	dir string
	// servers is the number of servers in an ensemble, 0 for a standalone server.
	servers int

	mu     sync.Mutex
	child  *child
	where  string
	starts int
}

func newSimulated(c *Cluster) (zooKeeper, error) {
	z := &simulated{c: c, dir: filepath.Join(c.disks.root, "zookeeper")}
	return z, z.start()
}

func (z *simulated) addrs() []string {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.where == "" {
		return nil
	}
	return strings.Split(z.where, ",")
}

func (z *simulated) timeoutScale() float64 { return 1 }
func (z *simulated) clockScale() float64   { return z.c.o.TimeScale }
func (z *simulated) chroot() string        { return "" }

// eventsFile returns the file to which the server appends its writes. A test compares it
// with what the tap decodes.
func (z *simulated) eventsFile() string { return filepath.Join(z.dir, "events.jsonl") }

// serveLimit is how long, in wall time, a server may take until it listens.
const serveLimit = 30 * time.Second

func (z *simulated) start() error {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.child != nil {
		return nil
	}
	if err := z.c.disks.files.MkdirAll(z.c.disks.below(z.dir), 0o755); err != nil {
		return err
	}
	z.starts++
	output := z.output()
	args := []string{
		z.c.o.Monosim, "zookeeper", "--listen", z.c.net.ip(1) + ":0",
		"--speed", strconv.FormatFloat(1/z.c.o.TimeScale, 'g', -1, 64) + "x", "--session-clock", "server",
		"--events", z.eventsFile(), "--max-client-cnxns", "0",
	}
	if z.c.o.Admin || z.servers > 0 {
		args = append(args, "--admin", "127.0.0.1:0", z.c.adminAccess("--admin-token", "--admin-token-file"))
	}
	if z.servers > 0 {
		args = append(args, "--ensemble", strconv.Itoa(z.servers), "--read-only-mode", "--election-time", z.c.wall(electionTime).String())
	} else {
		args = append(args, "--data-dir", filepath.Join(z.dir, "data"))
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

// listening waits until the server has printed its address, and returns it.
func (z *simulated) listening(child *child, output string) (string, error) {
	for end := time.Now().Add(serveLimit); ; time.Sleep(2 * time.Millisecond) {
		text, err := z.c.disks.readFile(output)
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

// output returns the file for the server's output since its latest start.
func (z *simulated) output() string {
	return filepath.Join(z.c.disks.root, logsDir, fmt.Sprintf("zookeeper-%d.log", z.starts))
}

// pids returns the pid of the server, none while it is down.
func (z *simulated) pids() []int {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.child == nil {
		return nil
	}
	return []int{z.child.pid()}
}

// admin returns the URL of the server's interface for faults, "" while the server is down.
func (z *simulated) admin() string {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.child == nil {
		return ""
	}
	text, err := z.c.disks.readFile(z.output())
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

// watch waits until the server process ends. If nobody stopped it, that is a failure of the
// run.
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
