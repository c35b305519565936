package programs_test

import (
	"fmt"

	"github.com/monosim/monosim/engine/agent/programs"
	"github.com/monosim/monosim/engine/env/envtest"
)

// This example prints the sizes of an exported model's sub-models, as agent_client does.
func ExampleRun() {
	e := envtest.New(map[string]string{
		"/a.conf": "bzid b\nbase_path /e\ndeploy_type unified\n", "/e/entry/1/saved_model.pb": "12345", "/e/ps_0/1/saved_model.pb": "1",
	}, map[string]string{"MY_HOST_IP": "10.1.2.3", "SHARD_ID": "0"})
	e.Log = envtest.Quiet{}
	ended := programs.Run(e, programs.AgentClient, []string{"--conf=/a.conf", "--cmd_type=get", "--args=info", "--model_dir", "/e"}, programs.Options{})
	fmt.Print(ended.Printed, ended.Exit, ended.Err)
	// Output:
	// {'entry': (5, '/e/entry/1'), 'ps_0': (1, '/e/ps_0/1')}
	// 0 <nil>
}
