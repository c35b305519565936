package agent

import (
	"errors"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/monitor"
	"github.com/monosim/monosim/engine/pysem"
)

// ZKBackend keeps layouts, bindings and service information in ZooKeeper
// (backends.py:212):
//
//	/<bzid>/saved_models/<model>/<sub_graph>                deploy config
//	/<bzid>/layouts/<layout>/<model>:<sub_graph>            what to load
//	/<bzid>/binding/<model>/<sub_graph>:<cluster>:<id>      who serves it (ephemeral)
//	/<bzid>/container_service/<cluster>:<id>                where (ephemeral)
type ZKBackend struct {
	e    *env.Env
	bzid string
	zk   env.ZooKeeper
	// lock is per class in the reference (Q47): an agent process has one backend.
	lock      *monitor.RLock
	available []SavedModel // sorted
	services  *serviceMap
	watches   map[string]env.Watch
	syncModel OptString
	lost      bool
	reported  reportedInfo
}

// reportedInfo is what was last reported, with its path and JSON form: the same
// from minute to minute.
type reportedInfo struct {
	container Container
	info      ContainerServiceInfo
	path      string
	data      []byte
}

// ServiceMap is where the sub-graphs of models are served: model, sub-graph,
// containers in the order of the bindings.
type ServiceMap []ModelServices

// ModelServices are the sub-graphs of one model.
type ModelServices struct {
	Model     string
	SubGraphs []SubGraphServices
}

// SubGraphServices are the containers that serve one sub-graph.
type SubGraphServices struct {
	SubGraph string
	Services []*ContainerServiceInfo
}

type serviceMap = ordered[string, []SubGraphServices]

// NewZKBackend makes a backend on a client that is not started yet.
func NewZKBackend(e *env.Env, bzid string, zk env.ZooKeeper) *ZKBackend {
	b := &ZKBackend{
		e: e, bzid: bzid, zk: zk,
		lock:     monitor.NewRLock(e.Tasks, "backend"),
		services: newOrdered[string, []SubGraphServices](),
		watches:  map[string]env.Watch{},
	}
	zk.AddListener(func(state env.SessionState) bool {
		b.lost = state == env.Lost // backends.py:228-235
		return false
	})
	return b
}

// Start connects.
func (b *ZKBackend) Start() error { return b.zk.Start(0) }

// Stop ends the session.
func (b *ZKBackend) Stop() { b.zk.Stop() }

func (b *ZKBackend) path(parts ...string) string {
	return "/" + b.bzid + "/" + strings.Join(parts, "/")
}

// SyncAvailableSavedModels makes the bindings of the container those of the
// models (backends.py:239). After a lost session it only restarts the client:
// the bindings follow with the next call.
func (b *ZKBackend) SyncAvailableSavedModels(container Container, models []SavedModel) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.lost {
		b.available = nil
		b.e.Log.Logf(env.Warning, "zk is lost, try restarting")
		return b.zk.Restart()
	}
	if models = sortedModels(models); slices.Equal(models, b.available) {
		return nil
	}
	for _, m := range models {
		if !slices.Contains(b.available, m) {
			if err := b.createZnode(b.bindingPath(m, container), []byte{}, true); err != nil {
				return err
			}
		}
	}
	for _, m := range b.available {
		if !slices.Contains(models, m) {
			b.deleteZnode(b.bindingPath(m, container))
		}
	}
	// Replaced even when a create failed above (Q41).
	b.available = models
	return nil
}

// Available are the models that the container was bound to last, sorted.
func (b *ZKBackend) Available() []SavedModel { return b.available }

func (b *ZKBackend) bindingPath(m SavedModel, container Container) string {
	return b.path("binding", m.ModelName, m.SubGraph+":"+container.String())
}

// sortedModels sorts and drops repetitions: the reference's set has no order. The
// models are the caller's or a copy.
func sortedModels(models []SavedModel) []SavedModel {
	if len(models) < 2 {
		return models
	}
	sorted := slices.Clone(models)
	slices.SortFunc(sorted, func(a, b SavedModel) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(sorted)
}

// LayoutModel is a saved model of a layout with its deploy config.
type LayoutModel struct {
	Model  SavedModel
	Deploy SavedModelDeployConfig
}

// RegisterLayoutCallback calls callback now and whenever the layout's children
// change (backends.py:264).
func (b *ZKBackend) RegisterLayoutCallback(layoutPath string, callback func([]LayoutModel) error) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	if err := b.zk.EnsurePath(layoutPath); err != nil {
		return err
	}
	return b.childrenWatch(layoutPath, func(children []string) error {
		b.lock.Lock()
		defer b.lock.Unlock()
		models, names, err := b.layoutModels(children)
		if err != nil {
			return err
		}
		b.subscribeOnly(names)
		for _, name := range names {
			if err := b.watchBindings(name); err != nil {
				return err
			}
		}
		return callback(models)
	})
}

// layoutModels reads the deploy configs. A model that was published before it
// was declared is left out, and stays out until the next change (Q42); a child
// without a colon is a ValueError and blocks all (Q44).
func (b *ZKBackend) layoutModels(children []string) (models []LayoutModel, names []string, err error) {
	for _, child := range children {
		model, err := parseSavedModel(child)
		if err != nil {
			return nil, nil, err
		}
		data, err := b.getZnode(b.path("saved_models", model.ModelName, model.SubGraph))
		if err != nil {
			return nil, nil, err
		}
		if data == nil {
			b.e.Log.Logf(env.Error, "missing deploy config for saved model %s", model)
			continue
		}
		deploy, err := ParseSavedModelDeployConfig(data)
		if err != nil {
			return nil, nil, err
		}
		models = append(models, LayoutModel{Model: model, Deploy: deploy})
		if !slices.Contains(names, model.ModelName) {
			names = append(names, model.ModelName)
		}
	}
	return models, names, nil
}

// parseSavedModel reads "<model>:<sub_graph>"; what follows a second colon is
// ignored (backends.py:277).
func parseSavedModel(text string) (SavedModel, error) {
	model, rest, ok := strings.Cut(text, ":")
	if !ok {
		return SavedModel{}, pysem.UnpackError(2, 1)
	}
	subGraph, _, _ := strings.Cut(rest, ":")
	return SavedModel{ModelName: model, SubGraph: subGraph}, nil
}

// subscribeOnly forgets the services of models that are in no layout any more
// (backends.py:288), models that were subscribed otherwise included (Q46).
func (b *ZKBackend) subscribeOnly(names []string) {
	services := newOrdered[string, []SubGraphServices]()
	for _, name := range names {
		old, _ := b.services.get(name)
		services.set(name, old)
	}
	b.services = services
}

func (b *ZKBackend) watchBindings(model string) error {
	return b.childrenWatch(b.path("binding", model), func(children []string) error {
		return b.bound(model, children)
	})
}

// bound replaces the services of a model by those of its bindings
// (backends.py:322). A binding whose container has not told its service yet is
// left out until the next change of the bindings (Q43).
//
// Speed: each change reads the service info of all bindings of the model, in every
// container that follows it: n containers that bind one model cost n² reads in each
// of them.
func (b *ZKBackend) bound(model string, children []string) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	if _, ok := b.services.get(model); !ok {
		return env.ErrStopWatching
	}
	var services []SubGraphServices
	for _, child := range children {
		parts := strings.Split(child, ":")
		if len(parts) < 3 {
			return pysem.UnpackError(3, len(parts))
		}
		info, err := b.GetServiceInfo(Container{Cluster: parts[1], ID: parts[2]})
		if err != nil {
			return err
		}
		if info == nil {
			b.e.Log.Logf(env.Error, "no service info of %s", child)
			continue
		}
		services = addService(services, parts[0], info)
	}
	b.services.set(model, services)
	return nil
}

func addService(services []SubGraphServices, subGraph string, info *ContainerServiceInfo) []SubGraphServices {
	for i := range services {
		if services[i].SubGraph == subGraph {
			services[i].Services = append(services[i].Services, info)
			return services
		}
	}
	return append(services, SubGraphServices{SubGraph: subGraph, Services: []*ContainerServiceInfo{info}})
}

// ServiceMap is the present map (backends.py:304).
func (b *ZKBackend) ServiceMap() ServiceMap {
	list := make(ServiceMap, 0, b.services.len())
	for name, subGraphs := range b.services.all {
		list = append(list, ModelServices{Model: name, SubGraphs: subGraphs})
	}
	return list
}

// ReportServiceInfo tells where the container serves (backends.py:340). On an
// existing znode it becomes a set, so that the znode stays with the session that
// made it (Q40).
func (b *ZKBackend) ReportServiceInfo(container Container, info *ContainerServiceInfo) error {
	if r := &b.reported; r.data == nil || r.container != container || r.info != *info || info.odd != nil {
		*r = reportedInfo{container: container, info: *info, path: b.path("container_service", container.String()), data: info.Serialize()}
	}
	return b.createZnode(b.reported.path, b.reported.data, true)
}

// GetServiceInfo reads where a container serves; nil when it does not say.
func (b *ZKBackend) GetServiceInfo(container Container) (*ContainerServiceInfo, error) {
	data, err := b.getZnode(b.path("container_service", container.String()))
	if err != nil || data == nil {
		return nil, err
	}
	info, err := ParseContainerServiceInfo(data)
	if err != nil {
		return nil, err
	}
	return &info, nil
}

// childrenWatch watches a path once: a watch that is still active is kept
// (backends.py:360).
func (b *ZKBackend) childrenWatch(path string, fn env.ChildrenFunc) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	if w, ok := b.watches[path]; ok && !w.Stopped() {
		return nil
	}
	if err := b.zk.EnsurePath(path); err != nil {
		return err
	}
	w, err := b.zk.ChildrenWatch(path, fn)
	if err != nil {
		return err // the constructor raised: nothing is remembered
	}
	b.watches[path] = w
	return nil
}

// ListSavedModels names the declared sub-graphs of a model.
func (b *ZKBackend) ListSavedModels(model string) ([]SavedModel, error) {
	subGraphs, err := b.zk.Children(b.path("saved_models", model))
	if errors.Is(err, env.ErrNoNode) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	models := make([]SavedModel, len(subGraphs))
	for i, s := range subGraphs {
		models[i] = SavedModel{ModelName: model, SubGraph: s}
	}
	return models, nil
}

// DeclSavedModel declares how a sub-graph is deployed (backends.py:383).
func (b *ZKBackend) DeclSavedModel(model SavedModel, deploy *SavedModelDeployConfig) error {
	return b.createZnode(b.path("saved_models", model.ModelName, model.SubGraph), deploy.Serialize(), false)
}

// AddToLayout publishes a model (backends.py:391).
func (b *ZKBackend) AddToLayout(layout string, model SavedModel) error {
	return b.zk.EnsurePath(layout + "/" + model.String())
}

// RemoveFromLayout unpublishes a model (backends.py:395).
func (b *ZKBackend) RemoveFromLayout(layout string, model SavedModel) error {
	err := b.zk.Delete(layout+"/"+model.String(), env.AnyVersion)
	if errors.Is(err, env.ErrNoNode) {
		return nil
	}
	return err
}

// SubscribeModel makes the backend follow the bindings of one model
// (backends.py:466); a second one is an AssertionError (Q49).
func (b *ZKBackend) SubscribeModel(model string) error {
	if b.syncModel.Set {
		if b.syncModel.V == model {
			return nil
		}
		return &pysem.Error{Type: "AssertionError"}
	}
	b.syncModel = pysem.Some(model)
	old, _ := b.services.get(model)
	b.services.set(model, old)
	return b.watchBindings(model)
}

// SyncTargets are the gRPC addresses that serve a sub-graph of the subscribed
// model (backends.py:477).
func (b *ZKBackend) SyncTargets(subGraph string) (name string, addrs []OptString, err error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.lost {
		b.available = nil
		b.e.Log.Logf(env.Warning, "zk is lost, try restarting")
		if err := b.zk.Restart(); err != nil {
			return "", nil, err
		}
	}
	services, _ := b.services.get(b.syncModel.V)
	for _, s := range services {
		if s.SubGraph == subGraph {
			for _, info := range s.Services {
				addrs = append(addrs, info.GRPC)
			}
		}
	}
	return b.syncModel.String() + ":" + subGraph, addrs, nil
}

// createZnode creates or, when the znode exists, sets (backends.py:490). Errors
// of the create are only logged; those of the set are the caller's.
func (b *ZKBackend) createZnode(path string, data []byte, ephemeral bool) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	_, err := b.zk.Create(path, data, env.CreateOptions{Ephemeral: ephemeral, MakePath: true})
	if errors.Is(err, env.ErrNodeExists) {
		return b.zk.Retry(func() error {
			_, err := b.zk.Set(path, data, -1)
			return err
		})
	}
	if err != nil {
		b.e.Log.Logf(env.Error, "exception in create_znode: %v", err)
	}
	return nil
}

func (b *ZKBackend) deleteZnode(path string) {
	b.lock.Lock()
	defer b.lock.Unlock()
	if err := b.zk.Delete(path, env.AnyVersion); err != nil {
		b.e.Log.Logf(env.Error, "exception in delete_znode: %v", err)
	}
}

// getZnode reads a znode, nil when it is missing.
func (b *ZKBackend) getZnode(path string) ([]byte, error) {
	data, _, err := b.zk.Get(path)
	if errors.Is(err, env.ErrNoNode) {
		return nil, nil
	}
	if data == nil && err == nil {
		data = []byte{}
	}
	return data, err
}
