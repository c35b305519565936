package wire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/monosim/monosim/sim/zookeeper"
)

// Goal: whatever was answered is on disk, whenever the server ends. Method: a disk whose writes the
// test can block, and a server that is killed while it works.

// Goal: nobody sees a write before it is on disk: not the writer, not a reader of the znode, not a
// watcher.
func TestNothingIsSeenBeforeItIsOnDisk(t *testing.T) {
	gate, entered := make(chan error), make(chan struct{})
	first := true
	opened := make(chan struct{})
	l := serve(t, Options{DataDir: t.TempDir(), sync: func([]byte) error {
		if first { // the sessions
			select {
			case <-opened:
				first = false
			default:
				return nil
			}
		}
		entered <- struct{}{}
		return <-gate
	}})
	writer, reader := l.connect(), l.connect()
	reader.ok(zookeeper.Request{Op: zookeeper.OpGetChildren, Path: "/", Watch: true})
	l.await("the answers so far to have left", func() bool {
		l.s.mu.Lock()
		defer l.s.mu.Unlock()
		left := true
		for _, c := range l.s.conns {
			c.out.mu.Lock()
			left = left && len(c.out.ready.bytes) == 0 && len(c.out.sending.bytes) == 0
			c.out.mu.Unlock()
		}
		return left
	})
	close(opened)
	writer.send(mk("/a"))
	<-entered
	writer.send(get("/a"))
	reader.send(get("/a"))
	l.await("the requests to be handled", func() bool {
		return l.requests(zookeeper.OpGetData) == 2
	})
	l.s.mu.Lock()
	for _, c := range l.s.conns {
		c.out.mu.Lock()
		if len(c.out.ready.bytes) > 0 || len(c.out.sending.bytes) > 0 {
			t.Errorf("connection %d gets an answer before the disk", c.id)
		}
		if len(c.out.held.bytes) == 0 {
			t.Errorf("connection %d waits for nothing", c.id)
		}
		c.out.mu.Unlock()
	}
	l.s.mu.Unlock()
	gate <- nil
	expect(t, writer.reply(zookeeper.OpCreate).Path, "/a")
	expect(t, writer.reply(zookeeper.OpGetData).Err, zookeeper.CodeOK)
	expect(t, reader.event(), zookeeper.Event{Type: 4, Path: "/", Zxid: -1})
	expect(t, reader.reply(zookeeper.OpGetData).Err, zookeeper.CodeOK)

	// A failing disk ends the server before it answers.
	writer.send(mk("/b"))
	<-entered
	gate <- errors.New("no space left")
	writer.ends()
	reader.ends()
	<-l.s.Done()
	if err := l.s.Err(); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("got %v", err)
	}
	l.dial().ends()
}

// Goal: while one fsync is in progress, the writes of other connections gather for the next one.
func TestOneSyncServesManyConnections(t *testing.T) {
	gate, entered, opened := make(chan struct{}), make(chan struct{}, 100), make(chan struct{})
	syncs := 0
	l := serve(t, Options{DataDir: t.TempDir(), sync: func([]byte) error {
		select {
		case <-opened:
			syncs++
			entered <- struct{}{}
			<-gate
		default:
		}
		return nil
	}})
	const n = 10
	peers := make([]*peer, n)
	for i := range peers {
		peers[i] = l.connect()
	}
	close(opened)
	peers[0].send(mk("/0"))
	<-entered
	for i, p := range peers[1:] {
		p.send(mk(fmt.Sprintf("/%d", i+1)))
	}
	l.await("all creates", func() bool {
		return l.requests(zookeeper.OpCreate) == n
	})
	close(gate)
	for _, p := range peers {
		p.reply(zookeeper.OpCreate)
	}
	expect(t, syncs, 2)
}

// serveDirEnv is an environment variable that makes the test binary run a server on a data
// directory.
const serveDirEnv = "MONOSIM_WIRE_TEST_DIR"

func TestMain(m *testing.M) {
	dir := os.Getenv(serveDirEnv)
	if dir == "" {
		os.Exit(m.Run())
	}
	s, err := Listen("127.0.0.1:0", Options{DataDir: dir, rotateAt: 30_000})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(s.Addr())
	select {}
}

// Goal: a killed server loses no acknowledged write. Method: four clients write as fast as they can
// while the server is repeatedly killed and started.
func TestKilledServerLosesNothing(t *testing.T) {
	dir := t.TempDir()
	acked := map[string]bool{}
	for life := range 4 {
		killed := startKilled(t, dir)
		var mu sync.Mutex
		var wg sync.WaitGroup
		enough := make(chan struct{})
		count := 0
		for c := range 4 {
			p := killed.connect()
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := 0; ; i++ {
					path := fmt.Sprintf("/%d-%d-%d", life, c, i)
					create := mk(path, make([]byte, 50)...)
					if _, err := p.Write(AppendRequest(nil, &create)); err != nil || !p.answered() {
						return
					}
					mu.Lock()
					acked[path] = true
					if count++; count == 200 {
						close(enough)
					}
					mu.Unlock()
				}
			}()
		}
		<-enough
		killed.kill()
		wg.Wait()
	}
	l := serve(t, Options{DataDir: dir})
	p := l.connect()
	for path := range acked {
		p.ok(get(path))
	}
}

// killedServer is a server in a separate process, which the test kills.
type killedServer struct {
	*lab
	cmd *exec.Cmd
}

func startKilled(t *testing.T, dir string) *killedServer {
	t.Helper()
	k := &killedServer{cmd: exec.Command(os.Args[0]), lab: &lab{TB: t}}
	k.cmd.Env = append(os.Environ(), serveDirEnv+"="+dir)
	out := must[io.ReadCloser](t)(k.cmd.StdoutPipe())
	if err := k.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.kill)
	scanner := bufio.NewScanner(out)
	if !scanner.Scan() {
		t.Fatal("the server says nothing")
	}
	k.addr = scanner.Text()
	return k
}

func (k *killedServer) kill() {
	k.cmd.Process.Kill()
	k.cmd.Wait()
}
