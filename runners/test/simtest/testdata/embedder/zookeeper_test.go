package embedder

import (
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/monosim/monosim/sim/zookeeper/wire/zookeepertest"
)

// leaderless waits until the znode of a leader is gone, and so is what this project
// wants to test of its own.
func leaderless(conn *zk.Conn) error {
	for {
		exists, _, changed, err := conn.ExistsW("/leader")
		if err != nil || !exists {
			return err
		}
		<-changed
	}
}

func connect(t *testing.T, server *zookeepertest.Server, timeout time.Duration) *zk.Conn {
	t.Helper()
	conn, _, err := zk.Connect([]string{server.Addr()}, timeout, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

func TestALeaderThatFallsSilentIsLost(t *testing.T) {
	server := zookeepertest.Start(t, zookeepertest.StandingClock())
	leader, follower := connect(t, server, 10*time.Second), connect(t, server, 40*time.Second)
	if _, err := leader.Create("/leader", nil, zk.FlagEphemeral, zk.WorldACL(zk.PermAll)); err != nil {
		t.Fatal(err)
	}
	server.Advance(20 * time.Second)
	if err := leaderless(follower); err != nil {
		t.Error(err)
	}
}
