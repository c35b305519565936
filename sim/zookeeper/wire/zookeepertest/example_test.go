package zookeepertest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/monosim/monosim/engine/runtimetest/tbtest"
	"github.com/monosim/monosim/sim/zookeeper/wire/zookeepertest"
)

// testSessions is the body of an example test. In a project it would be the function
// TestSessions(t *testing.T). A session of go-zookeeper expires in it without any waiting.
func testSessions(t testing.TB) {
	server := zookeepertest.Start(t, zookeepertest.StandingClock())
	conn, events, err := zk.Connect([]string{server.Addr()}, 10*time.Second, zk.WithLogger(quiet{}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	path, err := conn.Create("/lock", nil, zk.FlagEphemeral, zk.WorldACL(zk.PermAll))
	t.Log(path, err)

	server.Advance(time.Minute)
	for e := range events {
		if e.State == zk.StateExpired {
			break
		}
	}
	exists, _, err := conn.Exists("/lock")
	t.Log("after its session:", exists, err)
}

// Example runs testSessions by Attempt, which takes the place of "go test" here.
func Example() {
	for _, line := range tbtest.Attempt("TestSessions", testSessions).Said {
		fmt.Println(line)
	}

	// Output:
	// /lock <nil>
	// after its session: false <nil>
}
