package hosts_test

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/hosts"
	"github.com/monosim/monosim/sim/network"
)

// One process on a machine with a skewed wall clock works with files and the network through its
// env.Env. Then the power fails.
func Example() {
	w := vtime.New(vtime.Config{Seed: 1})
	defer w.Close()
	logs := &hosts.Logs{Level: env.Info, Keep: true}
	m := hosts.NewMachine(network.New(w, network.DefaultLatency()), hosts.Config{
		Name: "pod-1", IPs: []string{"10.0.0.1"}, Env: []string{"ROLE=ps"}, Skew: 3 * time.Second, Logs: logs,
	})

	life := m.Node.NewProcess("agent")
	e := m.Env(life, nil)
	e.Tasks.Go("main", func() {
		role, _ := e.Host.LookupEnv("ROLE")
		e.Log.Logf(env.Info, "%s runs as %s", e.Host.Hostname(), role)
		for {
			e.Tasks.Sleep(time.Minute)
			e.Log.Logf(env.Info, "still here")
		}
	})
	w.Run(vtime.Limits{Until: 90 * time.Second})
	m.Crash()
	w.Run(vtime.Limits{Until: time.Hour})
	for _, line := range logs.Lines {
		fmt.Println(line)
	}
	fmt.Println("dead:", life.Dead())

	// Output:
	// t+0.000s pod-1 agent[100] INFO pod-1 runs as ps
	// t+60.000s pod-1 agent[100] INFO still here
	// dead: true
}
