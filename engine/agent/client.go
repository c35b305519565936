package agent

import (
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// ServingClient asks agents v2 to load and unload models, and tells how far they
// are (client.py).
type ServingClient struct {
	e      *env.Env
	bzid   string
	zk     env.ZooKeeper
	mirror *ZKMirror
}

// NewServingClient makes a client and connects. The reference's own command never
// gets here, for it first calls a function that does not exist (Q67).
func NewServingClient(e *env.Env, zkServers, bzid string) (*ServingClient, error) {
	zk := e.ZooKeeper.NewClient(zkServers, env.ZooKeeperOptions{Auth: zkAuth(e.Host)})
	c := &ServingClient{e: e, bzid: bzid, zk: zk, mirror: NewZKMirror(e, zk, MirrorOptions{Bzid: bzid})}
	if err := c.mirror.Start(true); err != nil {
		return nil, err
	}
	return c, nil
}

// Load asks for a model; one that was asked for already is a RuntimeError
// (client.py:61).
func (c *ServingClient) Load(m ModelMeta) error {
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

// Unload takes the request for a model back; one that nobody asked for is only
// logged (client.py:75).
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

// LoadState is how far a model is (client.py:46). What was not found is false.
type LoadState struct {
	Portal  bool
	Publish bool
	// Service has a replica once, in the order of the first of its znodes.
	Service []ServiceState
}

// ServiceState is the state of one replica, as "ps:0:1".
type ServiceState struct {
	Replica string
	// Stat is a number of env.ModelState, or whatever the replica wrote there.
	Stat any
}

// String is the form that the command prints.
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

// Status looks a model up (client.py:83). Before anything was published, or
// served of this model, it is a NoNodeError.
//
// Speed: reads every replica of the model; a program that runs once.
func (c *ServingClient) Status(model string) (LoadState, error) {
	paths := c.mirror.Paths()
	var s LoadState
	// Here names are put into paths as they are; load and unload join (client.py:62).
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
	states := newOrdered[string, any]()
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
			meta, err := replicaMetaClass.decode(data)
			if err != nil {
				return nil, err
			}
			states.set(node+":"+replica, replicaMetaClass.get(meta, "stat"))
		}
	}
	list := make([]ServiceState, 0, states.len())
	for replica, stat := range states.all {
		list = append(list, ServiceState{Replica: replica, Stat: stat})
	}
	return list, nil
}

// Mirror is the client's copy of what is served.
func (c *ServingClient) Mirror() *ZKMirror { return c.mirror }

// Close ends the session.
func (c *ServingClient) Close() { c.zk.Stop() }
