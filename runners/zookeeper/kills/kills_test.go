package kills_test

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/monosim/monosim/runners/process"
	"github.com/monosim/monosim/runners/zookeeper/diff"
	"github.com/monosim/monosim/runners/zookeeper/kills"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

var (
	killCount  = flag.Int("kills", 5, "how often the server with a data directory is killed")
	faultCount = flag.Int("faults", 4, "how many faults the ensemble has")
	seed       = flag.Uint64("seed", 1, "what is written, and what is killed and when, follow from it")
)

// dirEnv names the data directory that this program serves as a server to be killed.
const dirEnv = "MONOSIM_KILLS_DIR"

func TestMain(m *testing.M) {
	flag.Parse()
	dir := os.Getenv(dirEnv)
	if dir == "" {
		os.Exit(m.Run())
	}
	s, err := wire.Listen("127.0.0.1:0", wire.Options{DataDir: dir})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(s.Addr())
	select {}
}

// limit is the longest wait for a server that comes back.
const limit = time.Minute

// Goal: kill -9 loses no acknowledged write, version, ephemeral or session, and no zxid goes back
// (ZK-22.14). Method: three clients with many requests under way; after each kill and start, what is
// there is what was acknowledged, and of what was under way some of the first.
func TestKillsOfAServerWithADataDirectory(t *testing.T) {
	dir, random := t.TempDir(), rand.New(rand.NewPCG(*seed, 1))
	writers := newWriters(3)
	for range *killCount {
		addr, kill := serve(t, dir)
		var acknowledged atomic.Int64
		enough, least := make(chan struct{}), 100+random.Int64N(1500)
		var once sync.Once
		var wg sync.WaitGroup
		for _, w := range writers {
			wg.Go(func() {
				err := w.Connect(addr)
				before := w.Acknowledged
				if err == nil {
					err = w.Write(func() bool {
						if acknowledged.Add(int64(w.Acknowledged-before)) >= least {
							once.Do(func() { close(enough) })
						}
						before = w.Acknowledged
						return false
					})
				}
				if !errors.Is(err, diff.ErrClosed) {
					t.Error(err)
					once.Do(func() { close(enough) })
				}
			})
		}
		<-enough
		kill()
		wg.Wait()
		if t.Failed() {
			return
		}
	}
	addr, _ := serve(t, dir)
	t.Logf("%d kills, %d acknowledged writes", *killCount, checkAll(t, writers, addr))
}

// Goal: the checks find a loss. Method: a server that has an earlier copy of the files.
func TestALossIsFound(t *testing.T) {
	dir, earlier := t.TempDir(), filepath.Join(t.TempDir(), "earlier")
	w := newWriters(1)[0]
	for life := range 2 {
		s, err := wire.Listen("127.0.0.1:0", wire.Options{DataDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Connect(s.Addr()); err != nil {
			t.Fatal(err)
		}
		enough := w.Acknowledged + 100
		if err := w.Write(func() bool { return w.Acknowledged >= enough }); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if life == 0 {
			if err := os.CopyFS(earlier, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
		}
	}
	addr, _ := serve(t, earlier)
	if err := w.Connect(addr); !errors.Is(err, kills.ErrLost) {
		t.Errorf("got %v, want that something is lost", err)
	}
	addr, _ = serve(t, dir)
	if err := w.Connect(addr); err != nil {
		t.Error(err)
	}
}

func newWriters(n int) (writers []*kills.Writer) {
	for i := range n {
		writers = append(writers, kills.NewWriter(fmt.Sprintf("/w%d", i), *seed*10+uint64(i)))
	}
	return writers
}

// checkAll checks what the server at addr has, and returns how many writes were acknowledged.
func checkAll(t *testing.T, writers []*kills.Writer, addr string) (acknowledged int) {
	t.Helper()
	for _, w := range writers {
		if err := w.Connect(addr); err != nil {
			t.Error(err)
		}
		acknowledged += w.Acknowledged
	}
	return acknowledged
}

// serve starts a server in a process of its own. It returns the server's address, and a function
// that kills it.
func serve(t *testing.T, dir string) (addr string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), dirEnv+"="+dir)
	process.DieWithParent(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "127.0.0.1:") {
		rest, _ := io.ReadAll(out)
		t.Fatalf("the server says %s%s: %v", line, rest, err)
	}
	return strings.TrimSpace(line), kill
}

// Goal: an ensemble that keeps its majority loses nothing that was acknowledged, whichever server
// stops, is cut off or no longer leads (ZK-22.14). Method: four clients that go from server to server, as
// clients do. At the end the three servers have the same.
func TestFaultsOfAnEnsemble(t *testing.T) {
	e, err := diff.ServeEnsemble(zookeeper.V38, 3)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	writers := newWriters(4)
	var stop atomic.Bool
	var acknowledged atomic.Int64
	var wg sync.WaitGroup
	for i, w := range writers {
		random := rand.New(rand.NewPCG(*seed, uint64(100+i)))
		wg.Go(func() {
			for !stop.Load() && !t.Failed() {
				servers := e.Servers()
				err := w.Connect(servers[random.IntN(len(servers))].Addr)
				before := w.Acknowledged
				if err == nil {
					err = w.Write(func() bool {
						acknowledged.Add(int64(w.Acknowledged - before))
						before = w.Acknowledged
						return stop.Load()
					})
				}
				if errors.Is(err, kills.ErrLost) {
					t.Error(err)
				}
			}
		})
	}
	random := rand.New(rand.NewPCG(*seed, 2))
	for range *faultCount {
		awaitWrites(t, &acknowledged, 300+random.Int64N(1000))
		heal := fault(t, e, random)
		awaitWrites(t, &acknowledged, 100+random.Int64N(500))
		heal()
		if err := e.AwaitLeader(limit); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			break
		}
	}
	stop.Store(true)
	wg.Wait()
	for _, s := range e.Servers() {
		t.Logf("%d faults, %d acknowledged writes, zxid %#x", *faultCount, checkAll(t, writers, s.Addr), s.Zxid)
	}
}

// awaitWrites waits until so many more writes are acknowledged.
func awaitWrites(t *testing.T, acknowledged *atomic.Int64, more int64) {
	t.Helper()
	again := time.NewTicker(2 * time.Millisecond)
	defer again.Stop()
	late := time.After(limit)
	for least := acknowledged.Load() + more; acknowledged.Load() < least && !t.Failed(); {
		select {
		case <-again.C:
		case <-late:
			t.Errorf("found %d acknowledged writes after %v, want %d", acknowledged.Load(), limit, least)
		}
	}
}

// fault brings about a fault of one server, the leader two times of three. It returns what ends it.
func fault(t *testing.T, e *wire.Ensemble, random *rand.Rand) (heal func()) {
	t.Helper()
	servers := e.Servers()
	id := servers[random.IntN(len(servers))].ID
	for _, s := range servers {
		if s.Mode == "leader" && random.IntN(2) == 0 {
			id = s.ID
		}
	}
	check := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	switch random.IntN(4) {
	case 0:
		check(e.LoseLeader())
		return func() {}
	case 1:
		check(e.Cut(id, true))
		return func() { check(e.Cut(id, false)) }
	}
	check(e.Stop(id))
	return func() { check(e.Start(id, "")) }
}
