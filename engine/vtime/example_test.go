package vtime_test

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
)

// A Kind names events in traces. A program makes each kind once, in a package variable.
var kindRequest = vtime.NewKind("example.request")

// counter is a server that answers one request at a time. It needs no task, because the network's
// events call it.
type counter struct {
	node  *vtime.Node
	value int
}

// add is a client's call, written as a blocking call. The task sends the request, parks, and goes
// on when the answer has come.
func (c *counter) add(p *vtime.Process, n int) int {
	caller, result := p.Current(), 0
	latency := func() time.Duration {
		return time.Duration(1+c.node.Source("network.latency").Intn(5)) * time.Millisecond
	}
	c.node.After(latency(), kindRequest, func() {
		c.value += n
		result = c.value
		p.After(latency(), kindAnswer, caller.Wake)
	})
	p.Park("the counter's answer")
	return result
}

// This simulates a server and two clients. Each client is a process on a node of its own, and its
// task is written like a thread. Nothing waits in wall time, so that an hour passes at once. The
// same seed always prints the same lines.
func Example() {
	w := vtime.New(vtime.Config{Seed: 7})
	defer w.Close()

	server := &counter{node: w.Node("server")}
	for i, name := range []string{"alice", "bob"} {
		p := w.Node(name).NewProcess("client")
		p.Go("main", func() {
			p.Sleep(time.Duration(30*i) * time.Minute)
			for range 2 {
				total := server.add(p, 10)
				fmt.Printf("%v %s: the counter is at %d\n", p.Elapsed(), name, total)
				p.Sleep(time.Hour)
			}
		})
	}

	// Run lets virtual time pass until no event is left.
	reason, err := w.Run(vtime.Limits{})
	fmt.Println(reason, err)

	// Output:
	// 3ms alice: the counter is at 10
	// 30m0.006s bob: the counter is at 20
	// 1h0m0.012s alice: the counter is at 30
	// 1h30m0.012s bob: the counter is at 40
	// quiet <nil>
}

// A seed repeats a run, and equal hashes show that two runs are equal. A choice changed on a tape
// makes another run, and the comparison finds the first event that differs.
func ExampleFirstDivergence() {
	run := func(tape *vtime.Tape) *vtime.Trace {
		w := vtime.New(vtime.Config{Seed: 7, Tape: tape, Trace: vtime.TraceConfig{Record: true}})
		defer w.Close()
		p := w.Node("client").NewProcess("client")
		p.Go("main", func() {
			for range 3 {
				p.Sleep(time.Duration(p.Intn("pause", 10)) * time.Second)
			}
		})
		if _, err := w.Run(vtime.Limits{}); err != nil {
			fmt.Println(err)
		}
		return w.Trace()
	}
	first, again := run(nil), run(nil)
	fmt.Println(first.Hash == again.Hash, vtime.FirstDivergence(first, again) == nil)

	changed := run(vtime.NewTape(vtime.TapeOverlay, env.Choice{Node: "client", Site: "pause", K: 1, Value: 0}))
	fmt.Println(vtime.FirstDivergence(first, changed))

	// Output:
	// true true
	// first differing event:
	//   a: #3 t+4.000000s client task.sleep(0)
	//      because of #2 t+0.000000s client task.sleep(0)
	//      because of #1 t+0.000000s client task.start(0)
	//   b: #3 t+0.000000s client task.sleep(0)
	//      because of #2 t+0.000000s client task.sleep(0)
	//      because of #1 t+0.000000s client task.start(0)
	//
	// nodes that differ at the end: client
}
