package loopback_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/realrun/loopback"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// The goal is that what the relays read is what the server has done. The method is a story with all
// that happens to sessions, which monosim's own server writes down as well.
func TestTheTapReadsWhatTheServerDid(t *testing.T) {
	o := options(t)
	o.Agent = loopback.OwnAgent
	built, err := loopback.New(o).Build(runners.Spec{Conf: runners.ConfV3, Replicas: 3, Detail: true, Seed: 1})
	if err != nil {
		t.Fatal(err)
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
	// The answer to what is asked at the moment in which the server is killed passes no relay.
	answered := func() error {
		got, sessions := tapped(c.Log())
		if diff := cmp.Diff(served(t, loopback.EventsFile(c), sessions), got); diff != "" {
			return fmt.Errorf("acts by znode and session (-server +tap):\n%s", diff)
		}
		return nil
	}
	down := runners.Fault{Kind: "zookeeper.down"}
	for i, err := range []error{
		c.Start(),
		runners.Within(c, time.Minute, infos(3)),
		c.BeginFault(runners.Fault{Kind: "agent.killed", Pod: pods[0].Name}),
		runners.Within(c, time.Minute, infos(2)),
		c.BeginFault(runners.Fault{Kind: "zookeeper.expired-session", Pod: pods[1].Name}),
		runners.Within(c, 2*time.Minute, infos(2)),
		runners.Within(c, time.Minute, answered),
		c.BeginFault(down),
		c.EndFault(down),
		c.BeginFault(runners.Fault{Kind: "agent.stopped", Pod: pods[2].Name}),
		runners.Within(c, 2*time.Minute, infos(1)),
	} {
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	got, sessions := tapped(c.Log())
	if want := served(t, loopback.EventsFile(c), sessions); len(want) < 6 {
		t.Errorf("want more to compare than %v", want)
	} else if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("acts by znode and session (-server +tap):\n%s", diff)
	}
}

// tapped returns what a log says of each session, znode by znode. What two sessions do at the same
// moment passes two relays, in no order of its own.
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

// served returns the same of what the server wrote down, for these sessions.
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
			break // it is being written
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if !sessions[e.Session] {
			continue // it looked after ephemerals
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
			data = "" // an answer does not have what was refused
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
