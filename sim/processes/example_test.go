package processes_test

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/files"
	"github.com/monosim/monosim/sim/processes"
)

// A program that runs for an hour is started twice. SIGTERM asks one process to end, and SIGKILL
// kills the other.
func Example() {
	w := vtime.New(vtime.Config{Seed: 1})
	defer w.Close()
	tree := files.NewFS(w)
	if err := tree.WriteTree(map[string]string{"/bin/sleeper": ""}); err != nil {
		fmt.Println(err)
	}
	table := processes.NewTable(w.Node("host"), tree)
	table.Register("sleeper", func(p *processes.Process) {
		p.Notify(env.SIGTERM, func() { p.Exit(3) })
		p.Main(func() int {
			p.Life().Sleep(time.Hour)
			return 0
		})
	})
	table.OnExit(func(p *processes.Process) {
		code, _ := p.Poll()
		fmt.Println(w.Now(), p.Pid(), p.Name(), "ended with", code)
	})

	for _, sig := range []env.Signal{env.SIGTERM, env.SIGKILL} {
		p, err := table.Start(env.Command{Args: []string{"/bin/sleeper"}})
		if err != nil {
			fmt.Println(err)
			continue
		}
		w.Run(vtime.Limits{Until: w.Now() + time.Minute})
		fmt.Println(sig, p.Signal(sig))
	}
	w.Run(vtime.Limits{})

	// Output:
	// SIGTERM <nil>
	// 1m0s 100 sleeper ended with 3
	// 2m0s 101 sleeper ended with -9
	// SIGKILL <nil>
}
