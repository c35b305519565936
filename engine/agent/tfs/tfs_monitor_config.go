package tfs

import (
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
)

// This file is for agents that schedule models by publishes. It makes the configurations of a
// container's model servers, sends them, and asks for the states of models. Model servers know a
// sub-model by the name "<model>:<sub-model>".

// ServerConfigs holds one model configuration for each server of a container.
type ServerConfigs struct {
	Entry, PS, Dense *config.ModelServerConfig
}

// Of returns the configuration for a server type. Any type except entry and PS counts as dense.
func (c *ServerConfigs) Of(server string) *config.ModelServerConfig {
	switch server {
	case agentconfig.ServerEntry:
		return c.Entry
	case agentconfig.ServerPS:
		return c.PS
	}
	return c.Dense
}

// add appends a model to the configuration of a server type.
func (c *ServerConfigs) add(server string, model *config.ModelConfig) {
	addModel(c.Of(server), model)
}

// addModel appends a model to a configuration, which may have no list yet.
func addModel(c *config.ModelServerConfig, model *config.ModelConfig) {
	list := c.GetModelConfigList()
	if list == nil {
		list = &config.ModelConfigList{}
		c.Config = &config.ModelServerConfig_ModelConfigList{ModelConfigList: list}
	}
	list.Config = append(list.Config, model)
}

// subModel is a sub-model that a server of this container has.
type subModel struct {
	server string // type of the server: ps, entry or dense
	name   string // "<model>:<sub-model>"
	path   string // path of the version to load
	latest bool   // whether the server follows the newest version on its own
}

// version returns the number at the end of the path. A path that does not end in a number is a
// ValueError (Q147).
func (s subModel) version() (int, error) {
	n, err := pysem.ParseInt(pysem.Basename(s.path))
	if err != nil {
		return 0, err
	}
	if !n.IsInt64() {
		return 0, pysem.Raise("ValueError", "Value out of range: %s", n)
	}
	return int(n.Int64()), nil
}

// ownSubModels lists the sub-models of a publish that belong on a server of this container.
func (m *TFSMonitor) ownSubModels(pm *datadef.PublishMeta, fixDenseVersion bool) ([]subModel, error) {
	items, err := pm.SubModelItems()
	if err != nil {
		return nil, err
	}
	var own []subModel
	for _, item := range items {
		server, err := m.ServiceType(item.Key)
		if err != nil {
			return nil, err
		}
		if server == "" {
			continue
		}
		path, ok := item.Value.(string)
		if !ok {
			return nil, pysem.Raise("TypeError", "expected str, bytes or os.PathLike object, not %s", pysem.TypeName(item.Value))
		}
		own = append(own, subModel{
			server: server, name: pm.ModelNameText() + ":" + item.Key, path: path,
			latest: !fixDenseVersion && m.isDense(item.Key),
		})
	}
	return own, nil
}

// isDense reports whether a sub-model contains the dense part of the model. That is the entry, or
// the dense sub-model if dense runs alone (tfs_monitor.py:174).
func (m *TFSMonitor) isDense(name string) bool {
	if m.conf.DenseAlone {
		return strings.HasPrefix(name, agentconfig.ServerDense)
	}
	return strings.HasPrefix(name, agentconfig.ServerEntry)
}

// GenModelConfig makes the configurations that load the given publishes (tfs_monitor.py:237). It
// leaves out publishes of type UNLOAD. The dense part follows the newest version, unless
// fixDenseVersion is set. Everything else loads the version whose number ends its path. A path
// without a number is a ValueError (Q147).
func (m *TFSMonitor) GenModelConfig(pms []*datadef.PublishMeta, fixDenseVersion bool) (*ServerConfigs, error) {
	configs := &ServerConfigs{Entry: &config.ModelServerConfig{}, PS: &config.ModelServerConfig{}, Dense: &config.ModelServerConfig{}}
	for _, pm := range pms {
		if pm.PType == datadef.PublishUnload {
			continue
		}
		subModels, err := m.ownSubModels(pm, fixDenseVersion)
		if err != nil {
			return nil, err
		}
		for _, s := range subModels {
			model, err := s.config()
			if err != nil {
				return nil, err
			}
			configs.add(s.server, model)
		}
	}
	return configs, nil
}

func (s subModel) config() (*config.ModelConfig, error) {
	args := agentconfig.ModelConfigArgs{
		Name: s.name, BasePath: pysem.Some(pysem.Dirname(s.path)),
		VersionPolicy: pysem.Some("latest"), VersionData: 1,
	}
	if !s.latest {
		version, err := s.version()
		if err != nil {
			return nil, err
		}
		args.VersionPolicy, args.VersionData = pysem.Some("specific"), version
	}
	return agentconfig.GenModelConfig(args)
}

// SubModelStatus is the state of one sub-model of a publish on its server.
type SubModelStatus struct {
	Name   string // "<model>:<sub-model>"
	Path   string // path of the version to load
	Status env.ModelVersionStatus
}

// PublishStatus asks for the state of each sub-model of a publish that a server of this container
// has (tfs_monitor.py:163). If there are several versions, the highest counts. A sub-model that the
// server does not know, or whose call fails, is UNKNOWN with version 0 (Q145). A dense sub-model
// without dense_alone is a KeyError (Q143).
func (m *TFSMonitor) PublishStatus(pm *datadef.PublishMeta, fixDenseVersion bool) ([]SubModelStatus, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	subModels, err := m.ownSubModels(pm, fixDenseVersion)
	if err != nil {
		return nil, err
	}
	list := make([]SubModelStatus, 0, len(subModels))
	for _, s := range subModels {
		status, err := m.subModelStatus(s)
		if err != nil {
			return nil, err
		}
		list = append(list, SubModelStatus{Name: s.name, Path: s.path, Status: status})
	}
	return list, nil
}

func (m *TFSMonitor) subModelStatus(s subModel) (env.ModelVersionStatus, error) {
	spec := env.ModelSpec{Name: s.name}
	if !s.latest {
		version, err := s.version()
		if err != nil {
			return env.ModelVersionStatus{}, err
		}
		spec.HasVersion, spec.Version = true, int64(version)
	}
	stub, err := m.stub(s.server)
	if err != nil {
		return env.ModelVersionStatus{}, err
	}
	versions, err := stub.Status(spec, 0)
	switch {
	case err != nil:
		m.e.Log.Logf(env.Info, "%v", pylog.Later(func() string { return pylog.Repr(err) }))
		return failedStatus(err), nil
	case len(versions) == 0:
		return env.ModelVersionStatus{Status: env.StatusProto{Code: rpcerrors.NotFound, Message: s.name + " not found"}}, nil
	}
	// tfs_monitor.py:194 sorts the versions in ascending order, by a stable sort, and takes the
	// last.
	latest := versions[0]
	for _, v := range versions[1:] {
		if v.Version >= latest.Version {
			latest = v
		}
	}
	return latest, nil
}

// stub returns the channel to the server of a type. It is a KeyError if this container has no such
// server, and after Stop for every type.
func (m *TFSMonitor) stub(server string) (env.ModelServer, error) {
	stub, ok := m.stubs[server]
	switch {
	case m.stubs == nil:
		return nil, pysem.Raise("KeyError", "%s", pysem.Repr(server))
	case !ok:
		return nil, pysem.Raise("KeyError", "'model_service'")
	}
	return stub, nil
}

// StatusOf works as [TFSMonitor.Status], for a specification that can also name a version or a
// label (tfs_monitor.py:208).
func (m *TFSMonitor) StatusOf(spec env.ModelSpec) ([]env.ModelVersionStatus, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	server, err := m.ServiceType(spec.Name)
	if err != nil || server == "" {
		return nil, err
	}
	stub, err := m.stub(server)
	if err != nil {
		return nil, err
	}
	return stub.Status(spec, 0)
}

// DefaultModelConfig returns the configuration of a model that every server loads, so that a server
// always has at least one model (utils.py:960). home is TFS_HOME.
func DefaultModelConfig(home string) *config.ModelConfig {
	model, err := agentconfig.GenModelConfig(agentconfig.ModelConfigArgs{
		Name: "default", BasePath: pysem.Some(home + "/dat/saved_models/entry"),
		VersionPolicy: pysem.Some("latest"), VersionData: 1,
	})
	if err != nil {
		panic("agent: the default model has no configuration: " + err.Error())
	}
	return model
}

// Reload makes a server load exactly the models in c and the default model, which it adds to c
// itself (tfs_monitor.py:276, Q144). It returns the server's status: OK, or the reason why it
// refuses. Errors are *env.RPCError, or a KeyError if this container has no server of that type. A
// call that is never answered blocks all others for ever (TFS-16.4).
func (m *TFSMonitor) Reload(server string, c *config.ModelServerConfig) (env.StatusProto, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if !m.conf.Quirks.Keeps(quirks.Q144) {
		c = proto.CloneOf(c)
	}
	hasDefault := false
	for _, model := range c.GetModelConfigList().GetConfig() {
		hasDefault = hasDefault || model.GetName() == "default"
	}
	if !hasDefault {
		addModel(c, DefaultModelConfig(m.conf.TFSHome()))
	}
	m.e.Log.Logf(env.Info, "%s load (%s): \n%v", server, m.port(server), pylog.Message(&apis.ReloadConfigRequest{Config: c}))
	status, err := m.reload(server, c)
	if err != nil {
		m.e.Log.Logf(env.Info, "%v", pylog.Later(func() string { return pylog.Repr(err) }))
	} else {
		m.e.Log.Logf(env.Info, "%s load done!", server)
	}
	return status, err
}

func (m *TFSMonitor) reload(server string, c *config.ModelServerConfig) (env.StatusProto, error) {
	stub, err := m.stub(server)
	if err != nil {
		return env.StatusProto{}, err
	}
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(c)
	if err != nil {
		return env.StatusProto{}, err
	}
	return stub.Reload(data, 0)
}
