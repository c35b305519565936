package bench_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners/zookeeper/bench"
	"github.com/monosim/monosim/runners/zookeeper/server"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// serveHere makes the test's own program a simulated server.
const serveHere = "ZKBENCH_TEST_SERVE"

// longSession is the longest timeout of its sessions: no test is that slow.
const longSession = time.Hour

func TestMain(m *testing.M) {
	if os.Getenv(serveHere) == "" {
		os.Exit(m.Run())
	}
	ends := make(chan os.Signal, 1)
	signal.Notify(ends, syscall.SIGTERM)
	server, err := wire.Listen("127.0.0.1:0", wire.Options{
		Config: zookeeper.Config{MaxSessionTimeoutMs: longSession.Milliseconds()},
		Limits: wire.Limits{ConnsPerAddr: -1},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(server.Addr())
	<-ends
	if err := server.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Goal: a load is what it says, and leaves nothing behind. Method: every write is
// counted in the server's own log.
func TestLoadsWriteWhatTheySay(t *testing.T) {
	for _, c := range []struct {
		load bench.Load
		want map[string]int
	}{
		{bench.Load{Op: zookeeper.OpCreate, Conns: 1, Window: 7},
			map[string]int{"createSession": 1, "create": 1 + 60, "delete": 60, "closeSession": 1}},
		{bench.Load{Op: zookeeper.OpSetData, Conns: 3, Window: 100},
			map[string]int{"createSession": 3, "create": 1 + 3, "setData": 60, "delete": 3, "closeSession": 3}},
		{bench.Load{Op: zookeeper.OpGetData, Conns: 2, Window: 1},
			map[string]int{"createSession": 2, "create": 1 + 2, "delete": 2, "closeSession": 2}},
	} {
		t.Run(c.load.String(), func(t *testing.T) {
			var log bytes.Buffer
			server, err := wire.Listen("127.0.0.1:0", wire.Options{WriteLog: &log})
			if err != nil {
				t.Fatal(err)
			}
			rate, err := c.load.Run(server.Addr(), bench.Length{Batch: 60})
			if err != nil {
				t.Error(err)
			}
			if rate <= 0 {
				t.Errorf("got a rate of %g", rate)
			}
			if err := server.Close(); err != nil {
				t.Fatal(err)
			}
			got := map[string]int{}
			for line := range strings.Lines(log.String()) {
				var write struct{ Op string }
				if err := json.Unmarshal([]byte(line), &write); err != nil {
					t.Fatal(err)
				}
				got[strings.TrimPrefix(write.Op, "zookeeper.")]++
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("writes (-want +got):\n%s", diff)
			}
		})
	}
}

// Goal: an answer that is an error is no operation done.
func TestLoadOnAServerThatRefuses(t *testing.T) {
	server, err := wire.Listen("127.0.0.1:0", wire.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	load := bench.Load{Op: zookeeper.OpDelete, Conns: 1, Window: 10}
	if _, err := load.Run(server.Addr(), bench.Length{Batch: 10}); err == nil || !strings.Contains(err.Error(), "NoNode") {
		t.Errorf("got %v, want an error that says NoNode", err)
	}
}

// Goal: the table compares servers in processes of their own.
func TestCompare(t *testing.T) {
	t.Setenv(serveHere, "1")
	var servers []*bench.Server
	for _, name := range []string{"first", "second"} {
		s, err := bench.Start(name, os.Args[0])
		if err != nil {
			t.Fatal(err)
		}
		servers = append(servers, s)
		defer func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}()
	}
	compare(t, servers)
}

// Goal: the loads run on a real server too.
func TestCompareWithTheRealServer(t *testing.T) {
	real, err := bench.Real()
	if errors.Is(err, server.ErrNotInstalled) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := real.Close(); err != nil {
			t.Error(err)
		}
	}()
	compare(t, []*bench.Server{real})
}

func compare(t *testing.T, servers []*bench.Server) {
	t.Helper()
	runs := 0
	result, err := bench.Compare(bench.Options{Length: bench.Length{Batch: 160}, Rounds: 1, Progress: func() { runs++ }}, servers...)
	if err != nil {
		t.Fatal(err)
	}
	if want := 2 * len(bench.Loads()) * len(servers); runs != want {
		t.Errorf("%d runs, want %d", runs, want)
	}
	for _, row := range result.Rows {
		for i, rate := range row.PerSecond {
			if rate <= 0 {
				t.Errorf("%s: %s: rate %g", result.Servers[i], row.Load, rate)
			}
		}
	}
	for i, bytes := range result.Memory {
		if bytes < 1<<20 {
			t.Errorf("%s: %d bytes of memory, want that of a process", result.Servers[i], bytes)
		}
	}
	if err := result.Write(io.Discard); err != nil {
		t.Error(err)
	}
}

// Goal: a program that is no server is an error.
func TestStartOfAProgramThatEnds(t *testing.T) {
	if _, err := bench.Start("true", "true"); err == nil || !strings.Contains(err.Error(), "no address") {
		t.Errorf("got %v, want an error about the address", err)
	}
}

// Goal: the table has ratios and verdicts against the real server, and none without
// it.
func TestTable(t *testing.T) {
	load := func(op zookeeper.OpCode, conns int) bench.Load {
		return bench.Load{Op: op, Conns: conns, Window: 10}
	}
	r := bench.Result{
		Servers: []string{"first", "second"},
		Rows: []bench.Row{
			{Load: load(zookeeper.OpCreate, 1), PerSecond: []float64{10e3, 5e3}},
			{Load: load(zookeeper.OpGetData, 16), PerSecond: []float64{10e3, 25e3}},
			{Load: load(zookeeper.OpSetData, 16), PerSecond: []float64{10e3, 19e3}},
		},
		Memory: []int64{400 << 20, 100 << 20},
	}
	for _, c := range []struct {
		compared bool
		want     string
	}{
		{true, `first second ratio aim
			create, 1 connection, 10 in flight 10.0 k/s 5.0 k/s 0.5x
			get, 16 connections, 10 in flight each 10.0 k/s 25.0 k/s 2.5x >= 2x: reached
			set, 16 connections, 10 in flight each 10.0 k/s 19.0 k/s 1.9x >= 2x: missed
			memory afterwards 400 MiB 100 MiB 0.25x <= 0.25x: reached`},
		{false, `first second
			create, 1 connection, 10 in flight 10.0 k/s 5.0 k/s
			get, 16 connections, 10 in flight each 10.0 k/s 25.0 k/s
			set, 16 connections, 10 in flight each 10.0 k/s 19.0 k/s
			memory afterwards 400 MiB 100 MiB`},
	} {
		r.Compared = c.compared
		var out strings.Builder
		if err := r.Write(&out); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Fields(c.want), strings.Fields(out.String())); diff != "" {
			t.Errorf("words of the table (-want +got):\n%s", diff)
		}
	}
}
