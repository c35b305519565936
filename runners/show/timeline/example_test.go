package timeline_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/show/timeline"
	"github.com/monosim/monosim/runners/test/simrun"
)

// This writes a detailed run as JSON lines, and describes a part of it in words.
func Example() {
	conf := "bzid demo\nbase_name ctr\ndeploy_type unified\nagent_version 3\nlayout_pattern online\nzk_servers 127.0.0.1:2181\n"
	cluster, err := (&simrun.Runner{}).Build(runners.Spec{Seed: 1, Conf: conf, Detail: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cluster.Close()
	if err := cluster.Start(); err != nil {
		fmt.Println(err)
		return
	}
	if _, err := cluster.Pass(time.Second, nil); err != nil {
		fmt.Println(err)
		return
	}

	name := filepath.Join(os.TempDir(), "timeline-example.jsonl")
	defer os.Remove(name)
	file, err := timeline.Create(name)
	if err != nil {
		fmt.Println(err)
		return
	}
	file.Begin(timeline.Run{Name: "a start", Seed: 1})
	for _, o := range cluster.Log() {
		file.Observe(o)
		if o.Op == "process.start" || o.Op == "modelserver.serving" {
			fmt.Printf("%s %.60s\n", o.Pod, timeline.Phrase(&o))
		}
	}
	if err := file.Close(); err != nil {
		fmt.Println(err)
		return
	}
	data, err := os.ReadFile(name)
	if err != nil {
		fmt.Println(err)
		return
	}
	first, _, _ := bytes.Cut(data, []byte("\n"))
	fmt.Printf("%s\n", first)

	// Output:
	// shard0-replica0 starts agent_service[100] --conf=/opt/tiger/monolith_serving
	// shard0-replica0 starts tensorflow_model_server[101] --model_config_file=/tmp
	// shard0-replica0 model server serves on port 30005
	// {"run":1,"name":"a start","seed":1}
}
