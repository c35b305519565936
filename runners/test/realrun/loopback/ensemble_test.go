package loopback_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/realrun/loopback"
)

// client opens a ZooKeeper session through a pod's relay.
func client(t *testing.T, c *loopback.Cluster, pod int) *zk.Conn {
	t.Helper()
	conn, _, err := zk.Connect([]string{loopback.RelayAddr(c, pod)}, 30*time.Second, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

// Goal: a pod's session can move to a lagging follower and back, and survives the loss of
// the quorum. Method: a client in the place of each pod's agent, in real time.
func TestPodsOfAnEnsemble(t *testing.T) {
	o := options(t)
	o.Agent, o.TimeScale = loopback.OwnAgent, 1
	built, err := loopback.New(o).Build(runners.Spec{
		Conf: runners.ConfV3, Replicas: 2, Seed: 1, Faults: []string{"zookeeper.stale-reads", "zookeeper.read-only"},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := built.(*loopback.Cluster)
	defer c.Close()
	one, two := client(t, c, 0), client(t, c, 1)
	if _, err := one.Create("/a", []byte("0"), 0, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	if _, err := two.Create("/mine", nil, zk.FlagEphemeral, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	within := func(what string, look func() error) {
		t.Helper()
		if err := runners.Within(c, time.Minute, look); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	// heard returns how long the second pod waits for the event of a write by the first pod.
	heard := func() time.Duration {
		t.Helper()
		var changes <-chan zk.Event
		within("a watch", func() (err error) {
			_, _, changes, err = two.GetW("/a")
			return err
		})
		began := time.Now()
		if _, err := one.Set("/a", []byte("1"), -1); err != nil {
			t.Fatal(err)
		}
		if e, ok := <-changes; !ok || e.Err != nil {
			t.Fatalf("the watch is lost: %v", e.Err)
		}
		return time.Since(began)
	}
	const lag = 700 * time.Millisecond
	behind := runners.Fault{Kind: "zookeeper.stale-reads", Pod: c.Pods()[1].Name, Duration: lag}
	if err := c.BeginFault(behind); err != nil {
		t.Fatal(err)
	}
	if took := heard(); took < lag {
		t.Errorf("behind a follower: want %v at least, got %v", lag, took)
	}
	if err := c.EndFault(behind); err != nil {
		t.Fatal(err)
	}
	heard()

	if err := c.BeginFault(runners.Fault{Kind: "zookeeper.read-only"}); err != nil {
		t.Fatal(err)
	}
	within("no quorum", func() error {
		if _, err := one.Set("/a", []byte("2"), -1); err == nil {
			return errors.New("want that a write fails")
		}
		return nil
	})
	if err := c.EndFault(runners.Fault{Kind: "zookeeper.no-leader"}); err != nil {
		t.Fatal(err)
	}
	within("a quorum again", func() error {
		_, err := one.Set("/a", []byte("3"), -1)
		return err
	})
	within("the session of the pod that has moved", func() error {
		there, stat, err := two.Exists("/mine")
		if err == nil && (!there || stat.EphemeralOwner != two.SessionID()) {
			err = fmt.Errorf("found its ephemeral there: %v", there)
		}
		return err
	})
}

// Goal: faults that need several servers are refused with one server. The error names the
// choice of server that rules them out.
func TestOneServerHasNoFollowers(t *testing.T) {
	o := options(t)
	o.Agent = loopback.OwnAgent
	built, err := loopback.New(o).Build(runners.Spec{Conf: runners.ConfV3, Replicas: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer built.Close()
	err = built.BeginFault(runners.Fault{Kind: "zookeeper.read-only"})
	if backend := (*runners.BackendError)(nil); !errors.As(err, &backend) {
		t.Errorf("want an error that names the ZooKeeper, got %v", err)
	}
}
