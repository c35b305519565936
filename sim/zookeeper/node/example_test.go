package node_test

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/node"
)

// A client is cut off from its server for a minute. Its session expires, and its ephemeral is
// deleted. kazoo then makes a new session.
func Example() {
	w := vtime.New(vtime.Config{Seed: 1})
	defer w.Close()
	n := network.New(w, network.DefaultLatency())
	server := node.NewServer(n.AddHost("zk", "zk", "10.0.0.1"), 2181, zookeeper.Config{})
	if err := server.Start(); err != nil {
		fmt.Println(err)
		return
	}
	host := n.AddHost("pod", "pod")
	p := host.Node().NewProcess("agent")
	clients := &node.Clients{Env: &env.Env{Clock: p, Tasks: p, Random: p, Log: silence{}}, Proc: p, Host: host}
	p.Go("main", func() {
		zk := clients.NewClient("10.0.0.1:2181", env.ZooKeeperOptions{Timeout: 10 * time.Second})
		zk.AddListener(func(s env.SessionState) bool {
			fmt.Printf("%d s: %v\n", p.Elapsed()/time.Second, s)
			return false
		})
		zk.Start(time.Minute)
		zk.Create("/online", nil, env.CreateOptions{Ephemeral: true})
		p.Sleep(5 * time.Second)
		n.PartitionBoth([]string{"pod"}, []string{"zk"})
		p.Sleep(time.Minute)
		n.HealAll()
		p.Sleep(15 * time.Second)
	})
	if _, err := w.Run(vtime.Limits{Until: 80 * time.Second}); err != nil {
		fmt.Println(err)
		return
	}
	_, there := server.Machine().Lookup("/online")
	fmt.Println("/online is there:", there)

	// Output:
	// 0 s: CONNECTED
	// 9 s: SUSPENDED
	// 66 s: LOST
	// 66 s: CONNECTED
	// /online is there: false
}

type silence struct{}

func (silence) Enabled(env.Level) bool         { return false }
func (silence) Logf(env.Level, string, ...any) {}
