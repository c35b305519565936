// Package clients has the programs that people run beside the agents: to declare models and publish
// them (agent_controller.py), to ask agents of version 2 for a model (client.py), to ask an agent
// where models are served (svr_client.py), and to call a model server (tfs_client.py).
//
// Two things to use first:
//
//   - [Control] is the control command; [Controller] does its work over any backend.
//   - [RunTFSClient] is the command of the model server's client; [TFSClient] makes its inputs.
//
// To change:
//
//   - the first three programs: the file named after the Python module
//   - the command of tfs_client.py: tfs_client_program.go
//   - its load profiles, random inputs and data files: tfs_client_profile.go, tfs_client_random.go
//     and tfs_client_stream.go
//   - the forms of the instances it sends, which utils.py has: utils_instance.go and
//     utils_instance_dump.go
//   - the tensor with them: utils_tensor.go
//
// Unstable: any commit may change it.
package clients

import (
	"strings"

	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/agent/zkmirror"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/envutils"
	"github.com/monosim/monosim/engine/pysem"
)

// ServingClient asks agents of version 2 to load and unload models, and reads how far these
// requests have come (client.py).
type ServingClient struct {
	e      *env.Env
	zk     env.ZooKeeper
	mirror *zkmirror.ZKMirror
}

// NewServingClient makes a client and connects it, within 15 s. In the reference the command
// already fails earlier, because it calls a function that does not exist (Q67).
func NewServingClient(e *env.Env, zkServers, bzid string) (*ServingClient, error) {
	zk := e.ZooKeeper.NewClient(zkServers, env.ZooKeeperOptions{Auth: envutils.ZKAuthData(e.Host)})
	c := &ServingClient{e: e, zk: zk, mirror: zkmirror.NewZKMirror(e, zk, zkmirror.MirrorOptions{Bzid: bzid})}
	if err := c.mirror.Start(true); err != nil {
		return nil, err
	}
	return c, nil
}

// Load requests that a model be loaded. If it is already requested, that is a RuntimeError
// (client.py:61).
func (c *ServingClient) Load(m datadef.ModelMeta) error {
	path, err := m.GetPath(c.mirror.Paths().Portal)
	if err != nil {
		return err
	}
	exists, err := c.mirror.Exists(path)
	if err != nil {
		return err
	}
	if exists {
		return pysem.Raise("RuntimeError", "%s has exists", m.ModelName)
	}
	return c.mirror.Create(path, m.Serialize(), env.CreateOptions{MakePath: true})
}

// Unload withdraws the request for a model. Without such a request it only logs that
// (client.py:75).
func (c *ServingClient) Unload(model string) error {
	path := pysem.JoinStrings(c.mirror.Paths().Portal, model)
	exists, err := c.mirror.Exists(path)
	if err != nil {
		return err
	}
	if !exists {
		c.e.Log.Logf(env.Warning, "%s not exists, nothing to do!", model)
		return nil
	}
	return c.mirror.Delete(path, true)
}

// LoadState tells which stages a model has reached: requested, published, served (client.py:46).
type LoadState struct {
	// Portal means that the model is requested. Publish means that at least a part of it is
	// published.
	Portal  bool
	Publish bool
	// Service lists the replicas that serve the model, each once, in the order of their first
	// znodes.
	Service []ServiceState
}

// ServiceState is the state of one replica; Replica is "<type>:<task>:<replica>".
type ServiceState struct {
	Replica string
	// Stat is a number of env.ModelState, or any other value that the replica wrote.
	Stat any
}

// String returns the state as the command prints it.
func (s LoadState) String() string {
	services := &pysem.Dict{}
	for _, r := range s.Service {
		services.Set(r.Replica, r.Stat)
	}
	return "LoadSate(portal=" + trueOrNone(s.Portal) + ", publish=" + trueOrNone(s.Publish) +
		", service=" + pysem.Repr(services) + ")"
}

func trueOrNone(b bool) string {
	if b {
		return "True"
	}
	return "None"
}

// Status reads which stages a model has reached (client.py:83). It is a NoNodeError before anything
// was published, or before any replica of this model serves.
//
// Cost: a call grows with the replicas of the model, all of which it reads. A program calls it
// once.
func (c *ServingClient) Status(model string) (LoadState, error) {
	paths := c.mirror.Paths()
	var s LoadState
	// The name is put into the path unchanged here. Load and unload use os.path.join instead
	// (client.py:62).
	stat, err := c.zk.Exists(paths.Portal + "/" + model)
	if err != nil {
		return s, err
	}
	s.Portal = stat != nil
	published, err := c.zk.Children(paths.Publish)
	if err != nil {
		return s, err
	}
	for _, node := range published {
		parts := strings.Split(node, ":")
		if len(parts) != 3 {
			return s, pysem.UnpackError(3, len(parts))
		}
		if parts[2] == model {
			s.Publish = true
			break
		}
	}
	s.Service, err = c.services(paths.Service + "/" + model)
	return s, err
}

func (c *ServingClient) services(root string) ([]ServiceState, error) {
	states := pysem.NewOrderedMap[string, any]()
	nodes, err := c.zk.Children(root)
	if err != nil {
		return nil, err
	}
	for _, node := range nodes {
		replicas, err := c.zk.Children(root + "/" + node)
		if err != nil {
			return nil, err
		}
		for _, replica := range replicas {
			data, _, err := c.zk.Get(root + "/" + node + "/" + replica)
			if err != nil {
				return nil, err
			}
			meta, err := datadef.ReplicaMetaClass.Decode(data)
			if err != nil {
				return nil, err
			}
			states.Set(node+":"+replica, datadef.ReplicaMetaClass.Get(meta, "stat"))
		}
	}
	list := make([]ServiceState, 0, states.Len())
	for replica, stat := range states.All {
		list = append(list, ServiceState{Replica: replica, Stat: stat})
	}
	return list, nil
}
