// Command own is the engine's part of cmd/bench/engines: the same two pieces of work that
// the programs beside it (../peers) have for other engines, on engine/vtime.
//
//	own callbacks|tasks N EVENTS
//
// Two things to use first: callbacks, N nodes that schedule themselves, and tasks, N tasks
// that sleep. To change the delays look in draws.go, and in each of the peers: they are
// the same everywhere, so that all engines wake the same models at the same instants.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/monosim/monosim/engine/vtime"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "own:", err)
		os.Exit(2)
	}
}

// counter counts what happened.
type counter struct{ events uint64 }

// works maps the name of a kind of work to a function. The function starts n models in a world,
// and each model counts its events in the counter.
var works = map[string]func(w *vtime.World, n int, c *counter){
	"callbacks": callbacks,
	"tasks":     tasks,
}

func run(args []string) error {
	if len(args) != 3 || works[args[0]] == nil {
		return fmt.Errorf("found arguments %q, want callbacks or tasks, N and EVENTS", args)
	}
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	events, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	w := vtime.New(vtime.Config{Seed: 1})
	defer w.Close()
	var c counter
	works[args[0]](w, n, &c)
	timed := time.Duration(float64(time.Second) * float64(events) / float64(n))
	if err := until(w, timed/10); err != nil { // this time is not measured, because memory still grows while models start
		return err
	}
	before, start := c.events, time.Now()
	if err := until(w, timed/10+timed); err != nil {
		return err
	}
	fmt.Printf("measured version=own events=%d ns=%d\n", c.events-before, time.Since(start).Nanoseconds())
	return nil
}

func until(w *vtime.World, at time.Duration) error {
	reason, err := w.Run(vtime.Limits{Until: at})
	if err == nil && reason != vtime.TimeUp {
		err = fmt.Errorf("the run ended: %v, want it to go on until %v", reason, at)
	}
	return err
}

var kindTick = vtime.NewKind("engines.tick")

// ticker is a node that schedules itself after each event.
type ticker struct {
	node  *vtime.Node
	draws draws
	count *counter
}

// Handle is one event.
func (t *ticker) Handle(uint64) {
	t.count.events++
	t.schedule()
}

func (t *ticker) schedule() {
	t.node.Schedule(t.node.World().Now()+t.draws.delay(), kindTick, t, 0)
}

func callbacks(w *vtime.World, n int, c *counter) {
	for i := range n {
		t := &ticker{node: w.Node("node-" + strconv.Itoa(i)), draws: newDraws(i), count: c}
		t.schedule()
	}
}

func tasks(w *vtime.World, n int, c *counter) {
	p := w.Node("node").NewProcess("sleepers")
	for i := range n {
		draws := newDraws(i)
		p.Go("sleeper", func() {
			for {
				p.Sleep(draws.delay())
				c.events++
			}
		})
	}
}
