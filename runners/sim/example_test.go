package sim_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/monosim/monosim/runners/sim"
)

// Two replicas of an agent of version 3 serve a model with two versions, of which the
// newer one becomes available.
func Example() {
	dir, err := os.MkdirTemp("", "whatif")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	conf, models := filepath.Join(dir, "agent.conf"), filepath.Join(dir, "exported")
	for _, version := range []string{"7", "8"} {
		dir := filepath.Join(models, "ctr", "exported_models", "entry", version)
		err = errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "saved_model.pb"), []byte("1"), 0o644))
	}
	if err == nil {
		err = os.WriteFile(conf, []byte(`bzid demo
base_name ctr
base_path /models
deploy_type unified
agent_version 3
layout_pattern online
zk_servers 127.0.0.1:2181
`), 0o644)
	}
	if err != nil {
		fmt.Println(err)
		return
	}

	cluster, err := sim.Read(sim.Options{
		Conf: conf, Models: models, Replicas: 2, For: 10 * time.Minute, Seed: 1,
		Policy: "latest", PublishAfter: 10 * time.Second,
		ZooKeeper: "zookeeper-3.8", ModelServer: "tfs-2.4", Quirks: "python", RestartAfter: 10 * time.Second,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := cluster.Run(context.Background(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range report.Models {
		fmt.Printf("%s on %d pods\n", m.Model, m.Pods)
	}
	for _, e := range report.ServiceMap {
		fmt.Printf("%s at %d addresses\n", e.Key, len(e.Addrs))
	}

	// Output:
	// ctr:entry/8 on 2 pods
	// ctr:entry at 2 addresses
}
