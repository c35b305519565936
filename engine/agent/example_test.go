package agent_test

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/world"
)

const conf = `bzid demo
base_name ctr
base_path /models/ctr
deploy_type unified
agent_version 3
layout_pattern main
zk_servers zookeeper:2181
`

// This example runs the agent's program in a pod of the simulated world. The agent starts a model
// server and registers in ZooKeeper. Code with a real env.Env calls Run in the same way.
func Example() {
	w, err := world.New(cluster.Spec{Seed: 1, Conf: conf}, world.Options{
		Agent: func(e *env.Env, confPath string) {
			if err := agent.Run(e, agent.Options{ConfPath: confPath}); err != nil {
				fmt.Println(err)
			}
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close()
	if err := w.Start(); err != nil {
		fmt.Println(err)
	}
	w.Run(vtime.Limits{Until: 10 * time.Second})

	for _, process := range w.Pod("shard0-replica0").Machine().Procs.Running() {
		fmt.Println("runs:", process.Name())
	}
	zk := w.ZooKeeper().Machine()
	for _, path := range []string{"/demo", "/demo/container_service"} {
		fmt.Println(path, zk.Children(path))
	}

	// Output:
	// runs: agent_service
	// runs: tensorflow_model_server
	// /demo [container_service layouts]
	// /demo/container_service [monolith.serving;lf;default:shard0-replica0]
}
