package service_test

import (
	"fmt"
	"testing"

	"github.com/monosim/monosim/engine/agent/agenttest"
	"github.com/monosim/monosim/engine/agent/service"
	"github.com/monosim/monosim/engine/agent/zkmirror"
	"github.com/monosim/monosim/engine/env"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// These tests show quirks of the service (agent_service.py) that the recorded cases do not.

func TestServiceQuirks(t *testing.T) {
	none := []any{"a:1", nil}
	for _, test := range []struct {
		name string
		vars map[string]string
		ask  func(a service.AnswersV3) error
		want string
	}{
		{"Q34 GetReplicas of v3 is not implemented", nil, func(a service.AnswersV3) error {
			_, err := a.GetReplicas(&agentservice.GetReplicasRequest{})
			return err
		}, "NotImplementedError"},
		{"Q35 a replica id from a pod name does not fit", map[string]string{"MY_POD_NAME": "shard0-replica0"}, func(a service.AnswersV3) error {
			_, err := a.GetResource(&agentservice.GetResourceRequest{})
			return err
		}, "ValueError"},
		{"a small replica id fits", map[string]string{"REPLICA_ID": "5", "SHARD_ID": "1"}, func(a service.AnswersV3) error {
			_, err := a.GetResource(&agentservice.GetResourceRequest{})
			return err
		}, ""},
		{"Q36 an address of None fails the whole HeartBeat", nil, func(a service.AnswersV3) error {
			a.Addrs = func() ([]service.ModelAddresses, error) {
				return []service.ModelAddresses{{Name: "m:a", Addrs: none[:1]}, {Name: "m:b", Addrs: none}}, nil
			}
			_, err := a.HeartBeat(&agentservice.HeartBeatRequest{})
			return err
		}, "TypeError"},
	} {
		t.Run(test.name, func(t *testing.T) {
			worldtest.Run(t, test.vars, func(c *worldtest.Case) {
				conf := agenttest.Config(c.T, c.Env, "bzid", "b", "base_name", "n", "deploy_type", "unified", "agent_version", 3)
				err := test.ask(service.AnswersV3{Env: c.Env, Conf: conf})
				if got := pysem.TypeOf(err); got != test.want || (err != nil) != (test.want != "") {
					t.Errorf("got %v, want %q", err, test.want)
				}
			})
		})
	}
}

// v2 makes the answers of an agent of version 2, over a mirror of a fake ZooKeeper client. The
// model m has the given replicas, written as "<task>/<replica>".
func v2(c *worldtest.Case, set quirks.Set, replicas ...string) service.AnswersV2 {
	c.T.Helper()
	conf := agenttest.Config(c.T, c.Env, "bzid", "b", "base_name", "n", "deploy_type", "mixed", "agent_version", 2)
	conf.Quirks = set
	zk := worldtest.NewZooKeeper(c.Env)
	mirror := zkmirror.NewZKMirror(c.Env, zk, zkmirror.MirrorOptions{Bzid: "b", ShardID: pysem.Some(0), NumShard: 2, Quirks: set})
	c.Must(mirror.Start(false))
	for _, name := range replicas {
		c.Create(zk, "/b/service/m/"+name, agenttest.ReplicaData("h:"+pysem.Basename(name), env.StateAvailable))
	}
	return service.AnswersV2{Env: c.Env, Conf: conf, Mirror: mirror}
}

func TestQ33_LookUpsOfV2GetTheNumberOfAServerTypeForItsName(t *testing.T) {
	for _, test := range []struct {
		name           string
		do             func(c *worldtest.Case, set quirks.Set) string
		kept, repaired string
	}{
		{"replicas of a task", func(c *worldtest.Case, set quirks.Set) string {
			answers := v2(c, set, "ps:0/1", "ps:0/2", "entry:0/1")
			r, err := answers.GetReplicas(&agentservice.GetReplicasRequest{ServerType: agentservice.ServerType_PS, ModelName: "m"})
			return fmt.Sprintf("%v %s", r.GetAddressList().GetAddress(), pysem.TypeOf(err))
		}, "[] AttributeError", "[h:1 h:2] "},
		{"replicas of a type", func(c *worldtest.Case, set quirks.Set) string {
			answers := v2(c, set, "ps:0/1", "ps:1/2", "entry:0/1")
			r, err := answers.HeartBeat(&agentservice.HeartBeatRequest{ServerType: agentservice.ServerType_PS})
			c.Must(err)
			return fmt.Sprint(r.Addresses["m:ps:0"].GetAddress(), r.Addresses["m:ps:1"].GetAddress(), len(r.Addresses))
		}, "[] [] 0", "[h:1] [h:2] 2"},
	} {
		for _, profile := range []struct {
			name   string
			quirks quirks.Set
			want   string
		}{{"kept", quirks.Python, test.kept}, {"repaired", quirks.Python.Repair(quirks.Q33), test.repaired}} {
			t.Run(test.name+"/"+profile.name, func(t *testing.T) {
				worldtest.Run(t, map[string]string{"SHARD_ID": "0", "MY_HOST_IP": "10.1.2.3"}, func(c *worldtest.Case) {
					if got := test.do(c, profile.quirks); got != profile.want {
						t.Errorf("got %q, want %q", got, profile.want)
					}
				})
			})
		}
	}
}
