package tfs_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/agent/agenttest"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/agent/tfs"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/sim/processes"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// servers is a fake of model servers. It records the calls with the number of their channel.
type servers struct {
	channels int
	notes    []string
	versions []env.ModelVersionStatus
	more     bool // whether each answer has a version one higher than the last
	reload   env.StatusProto
}

func (s *servers) note(format string, args ...any) {
	s.notes = append(s.notes, fmt.Sprintf(format, args...))
}

func (s *servers) Dial(string) env.ModelServer {
	s.channels++
	return &channel{s, s.channels}
}

type channel struct {
	*servers
	number int
}

func (c *channel) Status(spec env.ModelSpec, _ time.Duration) ([]env.ModelVersionStatus, error) {
	c.note("%d asked for %s", c.number, spec.Name)
	if c.more {
		return []env.ModelVersionStatus{{Version: int64(len(c.notes))}}, nil
	}
	return c.versions, nil
}

func (c *channel) Reload([]byte, time.Duration) (env.StatusProto, error) {
	return c.servers.reload, nil
}
func (c *channel) Close() { c.note("%d closed", c.number) }

// These tests are about NewStatuses: a loop whose queries can be left out as long as their answers
// are the usual ones.

// asking makes a monitor of a container with all server types. The channels to its servers have
// these numbers: 1 for entry, 2 for ps.
func asking(c *worldtest.Case) (*tfs.TFSMonitor, *servers) {
	s := &servers{}
	c.Env.Models = s
	m := tfs.NewTFSMonitor(c.Env, agenttest.Config(c.T, c.Env, "deploy_type", "mixed"))
	m.Start()
	return m, s
}

func TestStatusOfANameOfNoServerIsNone(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		m, s := asking(c)
		versions, err := m.Status("other")
		if versions != nil || err != nil || len(s.notes) != 0 {
			t.Errorf("got %v, %v, asked %q, want nothing", versions, err, s.notes)
		}
	})
}

// tfs_monitor.py:188-196.
func TestStatusOfAPublishIsThatOfTheHighestVersion(t *testing.T) {
	pm := datadef.DefaultPublishMeta()
	pm.ModelName = pysem.Some("m")
	subModels := &pysem.Dict{}
	subModels.Set("ps_0", "/exp/ps_0/5")
	if err := pm.Set("sub_models", subModels); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name     string
		versions []env.ModelVersionStatus
		want     env.ModelVersionStatus
	}{
		{"the last of the highest", []env.ModelVersionStatus{{Version: 3, State: 30}, {Version: 5, State: 20}, {Version: 5, State: 30}, {Version: 4, State: 30}},
			env.ModelVersionStatus{Version: 5, State: 30}},
		{"none", nil, env.ModelVersionStatus{Status: env.StatusProto{Code: rpcerrors.NotFound, Message: "m:ps_0 not found"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			worldtest.Run(t, nil, func(c *worldtest.Case) {
				m, s := asking(c)
				s.versions = test.versions
				list, err := m.PublishStatus(&pm, false)
				c.Must(err)
				if len(list) != 1 || list[0].Status != test.want {
					t.Errorf("got %+v, want %+v", list, test.want)
				}
			})
		})
	}
}

func TestAServerThatRefusesAReloadSaysWhy(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		m, s := asking(c)
		s.reload = env.StatusProto{Code: rpcerrors.InvalidArgument, Message: "no"}
		status, err := m.Reload("ps", &config.ModelServerConfig{})
		if status != s.reload || err != nil {
			t.Errorf("got %v, %v, want the server's answer", status, err)
		}
	})
}

// ofWrapper starts a wrapper whose server never ends. models is the text of its model config file.
func ofWrapper(c *worldtest.Case, models string) (*tfs.TFSWrapper, *servers) {
	s := &servers{}
	c.Env.Models = s
	c.Write(map[string]string{worldtest.Dir + "/server": "a model server", worldtest.Dir + "/m.cfg": models})
	c.Machine.Procs.Register("server", func(*processes.Process) {})
	w := tfs.NewTFSWrapper(c.Env, agenttest.Config(c.T, c.Env, "bzid", "b", "deploy_type", "unified", "agent_version", 3), worldtest.Dir+"/m.cfg", worldtest.Dir+"/log")
	c.Must(w.Start())
	return w, s
}

func TestStoppingTheWrapperClosesItsChannelAndKillsTheServer(t *testing.T) {
	worldtest.Run(t, map[string]string{"MONOLITH_TFS_BINARY": worldtest.Dir + "/server"}, func(c *worldtest.Case) {
		w, s := ofWrapper(c, "")
		c.Must(w.Stop())
		c.Env.Tasks.Sleep(time.Second)
		if _, ended := w.Poll(); !ended {
			t.Error("the server goes on")
		}
		if diff := cmp.Diff([]string{"1 closed"}, s.notes); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// Goal: a model that is listed twice has the answer of its second call, because tfs_wrapper.py:146
// puts each answer into a dict under the model's name.
func TestAModelThatIsListedTwiceHasItsLastAnswer(t *testing.T) {
	const model = `config { name: "m" base_path: "/m" }`
	worldtest.Run(t, map[string]string{"MONOLITH_TFS_BINARY": worldtest.Dir + "/server"}, func(c *worldtest.Case) {
		w, s := ofWrapper(c, "model_config_list { "+model+" "+model+" }")
		s.more = true
		list, err := w.ListSavedModelsStatus()
		c.Must(err)
		if len(list) != 1 || list[0].Status.Version != 2 {
			t.Errorf("got %+v, want version 2, the second answer", list)
		}
	})
}
