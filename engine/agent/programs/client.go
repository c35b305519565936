package programs

import (
	"github.com/monosim/monosim/engine/agent/clients"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/pysem"
)

// client runs client.py: it asks agents of version 2 to load or unload a model, or prints how far
// such a request has come. The reference's program fails at its first call (Q67), and lacks flags
// that it reads (Q68).
func (p *process) client() error {
	if err := p.noHostIP(); err != nil {
		return err
	}
	servers, bzid, model := p.flags.Text("zk_servers"), p.flags.Text("bzid"), p.flags.Text("model_name")
	if !servers.Set {
		return pysem.Raise("ValueError", "zk_servers is None")
	}
	if !bzid.Set {
		return pysem.Raise("ValueError", "bzid is None")
	}
	p.trying("ZooKeeper at "+servers.V, "is one running there? --zk_servers names it")
	c, err := clients.NewServingClient(p.Env, servers.V, bzid.V)
	if err != nil {
		return err
	}
	if !model.Set {
		return p.assertion("--model_name")
	}
	switch p.flags.Text("cmd_type").V {
	case "load":
		return p.clientLoad(c)
	case "unload":
		p.result = pysem.DictOf("model_name", model.V)
		return c.Unload(model.V)
	}
	state, err := c.Status(model.V)
	if err != nil {
		return err
	}
	p.print(state.String())
	services := &pysem.Dict{}
	for _, s := range state.Service {
		services.Set(s.Replica, s.Stat)
	}
	p.result = pysem.DictOf("portal", state.Portal, "publish", state.Publish, "service", services)
	return nil
}

func (p *process) clientLoad(c *clients.ServingClient) error {
	if _, err := p.flags.Value("model_dir"); err != nil {
		return err
	}
	if !p.flags.Text("model_dir").Set {
		return p.assertion("--model_dir, the directory of the saved model")
	}
	meta, err := p.modelMeta(p.flags.Text("model_name"))
	if err != nil {
		return err
	}
	p.result = pysem.DictOf("model_name", meta.ModelName.V)
	return c.Load(meta)
}

// modelMeta returns the request for a model that the flags describe.
func (p *process) modelMeta(name pysem.OptString) (datadef.ModelMeta, error) {
	meta := datadef.DefaultModelMeta()
	meta.ModelName, meta.ModelDir, meta.Ckpt = name, p.flags.Text("model_dir"), p.flags.Text("ckpt")
	shards, err := p.flags.Value("num_shard")
	if err != nil {
		return meta, err
	}
	err = meta.Set("num_shard", shards) // not in the return statement, because meta must be set before its value is taken
	return meta, err
}
