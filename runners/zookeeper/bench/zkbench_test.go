package bench_test

import (
	"bytes"
	"context"
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

// serveHere is an environment variable. If it is set, the test program runs as a simulated
// server.
const serveHere = "ZKBENCH_TEST_SERVE"

// onlyAnswers is the value of that variable with which the test program runs ServeBare.
const onlyAnswers = "bare"

// longSession is the longest session timeout that the test server grants. No test runs so
// long.
const longSession = time.Hour

func TestMain(m *testing.M) {
	switch os.Getenv(serveHere) {
	case "":
		os.Exit(m.Run())
	case onlyAnswers:
		ctx, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		if err := bench.ServeBare(ctx, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
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

// Goal: a load sends the operations that it describes and removes all its znodes. Method:
// count the writes in the server's own log.
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
			found, err := c.load.Run(server.Addr(), os.Getpid(), bench.Length{Batch: 60})
			if err != nil {
				t.Error(err)
			}
			if found.PerSecond <= 0 || found.Server <= 0 || found.Client <= 0 {
				t.Errorf("got %+v, want a rate and what it takes", found)
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

// Goal: an answer with an error code makes the run fail and does not count as an operation.
func TestLoadOnAServerThatRefuses(t *testing.T) {
	server, err := wire.Listen("127.0.0.1:0", wire.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	load := bench.Load{Op: zookeeper.OpDelete, Conns: 1, Window: 10}
	if _, err := load.Run(server.Addr(), 0, bench.Length{Batch: 10}); err == nil || !strings.Contains(err.Error(), "NoNode") {
		t.Errorf("got %v, want an error that says NoNode", err)
	}
}

// Goal: Compare measures servers that run as separate processes and prints a table of them.
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
	t.Setenv(serveHere, onlyAnswers)
	bare, err := bench.Start("only answers", os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	bare.Bare = true
	compare(t, append(servers, bare))
	if err := bare.Close(); err != nil {
		t.Errorf("the server that only answers ends with %v, want no error", err)
	}
}

// Goal: the loads also run on a real server.
func TestCompareWithTheRealServer(t *testing.T) {
	real, err := bench.Real(true)
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
		for i, found := range row.Found {
			wanted := !result.Servers[i].Bare || row.Load.Op == zookeeper.OpCreate
			if (found.PerSecond > 0) != wanted || (found.Server > 0) != wanted || (found.Client > 0) != wanted {
				t.Errorf("%s: %s: got %+v", result.Servers[i].Name, row.Load, found)
			}
		}
	}
	for i, bytes := range result.Memory {
		if bytes < 1<<20 {
			t.Errorf("%s: %d bytes of memory, want that of a process", result.Servers[i].Name, bytes)
		}
	}
	if err := result.Write(io.Discard); err != nil {
		t.Error(err)
	}
}

// Goal: Start returns an error for a program that ends without printing an address.
func TestStartOfAProgramThatEnds(t *testing.T) {
	if _, err := bench.Start("true", "true"); err == nil || !strings.Contains(err.Error(), "no address") {
		t.Errorf("got %v, want an error about the address", err)
	}
}

// Goal: with real servers the table has ratios and verdicts, and without real servers it has
// neither.
func TestTable(t *testing.T) {
	load := func(op zookeeper.OpCode, conns int) bench.Load {
		return bench.Load{Op: op, Conns: conns, Window: 10}
	}
	all := bench.Result{
		Servers: []bench.Measured{{Name: "no-sync", Real: true}, {Name: "real", Real: true, Durable: true}, {Name: "ours"}, {Name: "ours-on-disk", Durable: true}, {Name: "bare", Bare: true}},
		Rows: []bench.Row{
			{Load: load(zookeeper.OpCreate, 1), Found: []bench.Measurement{{10e3, 9, 1}, {5e3, 18, 2}, {10e3, 2, 1}, {60e3, 1.5, .25}, {100e3, 1, .25}}},
			{Load: load(zookeeper.OpCreate, 16), Found: []bench.Measurement{{10e3, 9, 1}, {5e3, 18, 2}, {19e3, 3, 1}, {49e3, 2, 1}, {100e3, 1.5, 1}}},
			{Load: load(zookeeper.OpGetData, 16), Found: []bench.Measurement{{PerSecond: 10e3}, {PerSecond: 10e3}, {PerSecond: 25e3}, {PerSecond: 20e3}, {}}},
		},
		Memory: []int64{400 << 20, 200 << 20, 100 << 20, 60 << 20, 10 << 20},
	}
	alone := bench.Result{Servers: all.Servers[2:], Memory: all.Memory[2:]}
	for _, row := range all.Rows {
		alone.Rows = append(alone.Rows, bench.Row{Load: row.Load, Found: row.Found[2:]})
	}
	for _, c := range []struct {
		result bench.Result
		want   string
	}{
		{all, `no-sync real ours to no-sync aim ours-on-disk to no-sync to real aim bare
			create, 1 connection, 10 in flight 10.0 k/s 5.0 k/s 10.0 k/s 1.0x 60.0 k/s 6.0x 12.0x >= 10x: reached 100.0 k/s
			create, 16 connections, 10 in flight each 10.0 k/s 5.0 k/s 19.0 k/s 1.9x >= 2x: missed 49.0 k/s 4.9x 9.8x >= 10x: missed 100.0 k/s
			get, 16 connections, 10 in flight each 10.0 k/s 10.0 k/s 25.0 k/s 2.5x >= 2x: reached 20.0 k/s 2.0x 2.0x >= 2x: reached
			memory afterwards 400 MiB 200 MiB 100 MiB 0.25x <= 0.25x: reached 60 MiB 0.15x 0.30x <= 0.25x: missed 10 MiB
			processor time of a create, us real its client
			ours-on-disk its client server alone to real foretold rate to real aim
			bare its client server alone to real foretold rate to real aim
			create, 1 connection, 10 in flight 18.00 2.00 1.50 0.25 12.0x 11.4x >= 10x: reached 1.00 0.25 18.0x 16.0x >= 10x: reached
			create, 16 connections, 10 in flight each 18.00 2.00 2.00 1.00 9.0x 6.7x >= 10x: missed 1.50 1.00 12.0x 8.0x >= 10x: missed`},
		{alone, `ours ours-on-disk bare
			create, 1 connection, 10 in flight 10.0 k/s 60.0 k/s 100.0 k/s
			create, 16 connections, 10 in flight each 19.0 k/s 49.0 k/s 100.0 k/s
			get, 16 connections, 10 in flight each 25.0 k/s 20.0 k/s
			memory afterwards 100 MiB 60 MiB 10 MiB
			processor time of a create, us ours-on-disk its client bare its client
			create, 1 connection, 10 in flight 1.50 0.25 1.00 0.25
			create, 16 connections, 10 in flight each 2.00 1.00 1.50 1.00`},
	} {
		var out strings.Builder
		if err := c.result.Write(&out); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Fields(c.want), strings.Fields(out.String())); diff != "" {
			t.Errorf("words of the table (-want +got):\n%s", diff)
		}
	}
}

// Goal: the report predicts the memory of many sessions from that of fewer sessions, and the
// line says that it is a prediction.
func TestSessionsTable(t *testing.T) {
	for _, c := range []struct {
		sessions bench.Sessions
		want     []string
	}{
		{bench.Sessions{}, []string{""}},
		{bench.Sessions{Count: 100_000, Before: 20 << 20, Half: 530 << 20, Bytes: 1020 << 20, After: 2049 << 20},
			[]string{"100000 connected sessions", "1020 MiB, foretold by half of them 1040, 10.2 KiB a session", "100000 sessions: 2049 MiB  <= 2048 MiB: missed"}},
		{bench.Sessions{Count: 10_000, Before: 48 << 20, Bytes: 148 << 20, After: 248 << 20},
			[]string{"100000 sessions: 2048 MiB (foretold: 10000 were measured)  <= 2048 MiB: reached"}},
		{bench.Sessions{Count: 10_000, Before: 48 << 20, Bytes: 148 << 20, After: 248 << 20, Limited: true},
			[]string{"100000 sessions: 2048 MiB (foretold: 10000 were measured, the limit of open files allows no more here)  <= 2048 MiB: reached"}},
	} {
		var out strings.Builder
		if err := c.sessions.Write(&out); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) || want == "" && out.Len() > 0 {
				t.Errorf("got %q, want %q in it", out.String(), want)
			}
		}
	}
}
