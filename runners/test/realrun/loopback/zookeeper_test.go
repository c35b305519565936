package loopback_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/realrun/loopback"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// Goal: the tap decodes from the traffic exactly what the server has done. Method: a
// scenario with everything that can happen to sessions, compared with the events that
// monosim's own server records. If a busy machine keeps agents from connecting, it is tried
// again three times slower, then nine times.
func TestTheTapReadsWhatTheServerDid(t *testing.T) {
	for scale := 0.1; ; scale *= 3 {
		err := tapAll(t, scale)
		switch {
		case err == nil:
			return
		case scale > 0.5:
			t.Fatal(err)
		}
		t.Logf("at a time scale of %.1f: %v", scale, err)
	}
}

// tapAll runs the scenario at a time scale and compares the tap with the server's events.
func tapAll(t *testing.T, scale float64) error {
	o := options(t)
	o.Agent, o.TimeScale = loopback.OwnAgent, scale
	built, err := loopback.New(o).Build(runners.Spec{Conf: runners.ConfV3, Replicas: 3, Detail: true, Reads: true, Seed: 1})
	if err != nil {
		return err
	}
	c := built.(*loopback.Cluster)
	defer c.Close()
	pods := c.Pods()
	infos := func(want int) func() error {
		return func() error {
			node, ok, err := c.Znode("/gip/container_service")
			if err != nil || !ok || len(node.Children) != want {
				return fmt.Errorf("service infos: found %v, %v, want %d", node.Children, err, want)
			}
			return nil
		}
	}
	// If the server is killed right after an operation, its answer never reaches a relay. The
	// operation that follows the counted ones, for each znode and session, may therefore be
	// missing from the tap.
	unanswered := map[string]int{}
	same := func() error {
		got, sessions := tapped(c.Log())
		want := served(t, loopback.EventsFile(c), sessions)
		for key, at := range unanswered {
			if len(want[key]) == len(got[key])+1 {
				want[key] = slices.Delete(want[key], at, at+1)
			}
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			return fmt.Errorf("acts by znode and session (-server +tap):\n%s", diff)
		}
		if len(want) < 6 {
			return fmt.Errorf("want more to compare than %v", want)
		}
		return nil
	}
	killed := func() error {
		got, sessions := tapped(c.Log())
		for key, acts := range served(t, loopback.EventsFile(c), sessions) {
			if len(acts) == len(got[key])+1 {
				unanswered[key] = len(got[key])
			}
		}
		return same()
	}
	down := runners.Fault{Kind: "zookeeper.down"}
	for i, step := range []func() error{
		c.Start,
		func() error { return runners.Within(c, time.Minute, infos(3)) },
		func() error { return runners.Within(c, time.Minute, func() error { return readsOf(c) }) },
		func() error { return c.BeginFault(runners.Fault{Kind: "agent.killed", Pod: pods[0].Name}) },
		func() error { return runners.Within(c, time.Minute, infos(2)) },
		func() error {
			return c.BeginFault(runners.Fault{Kind: "zookeeper.expired-session", Pod: pods[1].Name})
		},
		func() error { return runners.Within(c, 2*time.Minute, infos(2)) },
		func() error { return runners.Within(c, time.Minute, same) },
		func() error { return c.BeginFault(down) },
		func() error { return runners.Within(c, time.Minute, killed) },
		func() error { return c.EndFault(down) },
		func() error { return c.BeginFault(runners.Fault{Kind: "agent.stopped", Pod: pods[2].Name}) },
		func() error { return runners.Within(c, 2*time.Minute, infos(1)) },
		func() error { return runners.Within(c, time.Minute, same) },
	} {
		if err := step(); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	return nil
}

// readsOf returns an error unless the log has reads of each pod, of nobody else, and no more than the
// tap has counted.
func readsOf(c *loopback.Cluster) error {
	byPod, byOp := map[string]int{}, map[string]int{}
	for _, o := range c.Log() {
		if o.Op == "read" {
			byPod[o.Pod]++
			byOp[o.Note]++
		}
	}
	for op, n := range byOp {
		if counted := c.Stats().ZooKeeperRequests[op]; uint64(n) > counted {
			return fmt.Errorf("reads: got %d times %s, counted %d", n, op, counted)
		}
	}
	for _, p := range c.Pods() {
		if byPod[p.Name] == 0 {
			return fmt.Errorf("reads: got %v, want some of %s", byPod, p.Name)
		}
	}
	if len(byPod) != len(c.Pods()) {
		return fmt.Errorf("reads: got %v, want those of pods", byPod)
	}
	return nil
}

// tapped returns the operations in a log for each session and znode. Across sessions they
// are not ordered, because two relays pass simultaneous operations in any order.
func tapped(log []runners.Observation) (acts map[string][]string, sessions map[string]bool) {
	acts, sessions = map[string][]string{}, map[string]bool{}
	for _, o := range log {
		op, ok := strings.CutPrefix(o.Op, "zookeeper.")
		if !ok {
			continue
		}
		id := fmt.Sprintf("%#x", uint64(o.ID))
		sessions[id] = true
		key := strings.TrimSpace(o.Path + " " + id)
		acts[key] = append(acts[key], strings.TrimSpace(fmt.Sprintf("%s %s %s", op, o.Note, o.Data)))
	}
	return acts, sessions
}

// served returns the operations of the given sessions from the server's events file, in the
// form of tapped.
func served(t *testing.T, name string, sessions map[string]bool) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	acts := map[string][]string{}
	for line := range bytes.Lines(text) {
		var e wire.Event
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // the last entry is still being written
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if !sessions[e.Session] {
			continue // the session is one that only looked after ephemerals
		}
		note := e.Error
		switch {
		case note != "":
		case e.Of == "closeSession" && e.Op == "delete":
			note = "with its session"
		case e.Ephemeral:
			note = "ephemeral"
		}
		key := strings.TrimSpace(e.Path + " " + e.Session)
		data := e.Data
		if e.Error != "" {
			data = "" // the answer to a refused request does not contain its data
		}
		acts[key] = append(acts[key], strings.TrimSpace(fmt.Sprintf("%s %s %s", e.Op, note, data)))
	}
	return acts
}

func TestParseZooKeeper(t *testing.T) {
	for text, want := range map[string]loopback.ZooKeeper{
		"monosim": {}, "java": {Java: true}, "java:3": {Java: true, Servers: 3},
		"10.0.0.1:2181,[::1]:2182": {Addrs: []string{"10.0.0.1:2181", "[::1]:2182"}},
	} {
		got, err := loopback.ParseZooKeeper(text)
		if diff := cmp.Diff(want, got); err != nil || diff != "" || got.String() != text {
			t.Errorf("%s: %v, %s, (-want +got):\n%s", text, err, got, diff)
		}
	}
	for _, text := range []string{"", "debian", "java:", "java:0", "java:x", "java:99", "host", "host:", ":2181", "host:0", "host:99999", "a:1,"} {
		if got, err := loopback.ParseZooKeeper(text); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("found %q, want", text)) {
			t.Errorf("%q: got %v, %v, want an error", text, got, err)
		}
	}
}
