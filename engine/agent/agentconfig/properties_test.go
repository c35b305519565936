package agentconfig

import (
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/env/envtest"
)

// Goal: the number of containers in the variable of constants.py decides which tasks a container
// runs. Python's remainder has the sign of the divisor. So with -2 containers the shards are 0 and
// -1, not 1.
func TestShardsOfTheVariableTakeTasks(t *testing.T) {
	for _, test := range []struct{ name, shards, shard, want string }{
		{"two", "2", "1", "1 3"},
		{"more than tasks", "9", "3", "3"},
		{"shard out of range", "2", "2", ""},
		{"negative", "-2", "-1", "1 3"},
		{"negative, whole multiples", "-2", "0", "0 2 4"},
		{"negative, positive shard", "-2", "1", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := envtest.New(map[string]string{"a.conf": "bzid b\ndeploy_type ps\nnum_ps 5\n"},
				map[string]string{HostShardEnv: test.shards, "SHARD_ID": test.shard})
			conf, err := FromFile(e, "a.conf")
			if err != nil {
				t.Fatal(err)
			}
			tasks, err := conf.ServerSchedule(ServerPS)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, task := range tasks {
				got = append(got, task.String())
			}
			if found := strings.Join(got, " "); found != test.want {
				t.Errorf("got tasks %q, want %q", found, test.want)
			}
		})
	}
}
