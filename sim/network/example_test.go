package network_test

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/network"
)

// A client calls a server while a partition loses its packets. TCP retransmits them, so the call is
// answered when the partition is over.
func Example() {
	w := vtime.New(vtime.Config{Seed: 1})
	defer w.Close()
	net := network.New(w, network.DefaultLatency())
	server, client := net.AddHost("server", "server", "10.0.0.1"), net.AddHost("client", "client", "10.0.0.2")

	_, err := server.ServeRPC(network.OwnedByNode(server.Node()), 8500, func(call *network.Call) {
		call.Reply("hello "+call.Request.(string), 20)
	})
	fmt.Println("listening:", err)

	p := client.Node().NewProcess("client")
	p.Go("main", func() {
		channel := network.NewChannel(p, client, "server:8500")
		defer channel.Close()
		for _, timeout := range []time.Duration{time.Second, time.Second, time.Minute} {
			answer, failure := channel.Invoke("/greeter/Hello", "world", 20, timeout)
			if failure != nil {
				fmt.Println(p.Elapsed().Round(time.Millisecond), failure.Code == rpcerrors.DeadlineExceeded)
				continue
			}
			fmt.Println(p.Elapsed().Round(time.Millisecond), answer)
			net.Partition([]string{"server"}, []string{"client"})
		}
	})
	w.Run(vtime.Limits{Until: 3 * time.Second})
	net.HealAll()
	w.Run(vtime.Limits{})

	// Output:
	// listening: <nil>
	// 1ms hello world
	// 1.001s true
	// 3.002s hello world
}
