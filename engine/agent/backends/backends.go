// Package backends is what agents of version 3 know of one another (backends.py):
// which models are to be served, which container serves them, and where; all of it is
// kept in ZooKeeper.
//
// Two things to use first:
//
//   - [NewZKBackend] makes a backend over a ZooKeeper client; Start connects it.
//   - [ZKBackend.RegisterLayoutCallback] follows a layout, and
//     [ZKBackend.ServiceMap] tells where each sub-graph is served.
//
// To change how znodes are written and watched look in backends.go; the report of
// everything below a bzid is in info.go.
//
// Unstable: any commit may change it.
package backends

import (
	"errors"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/agent/pylog"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/pyset"
	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/recipes"
)

// ZKBackend keeps layouts, bindings and service infos in ZooKeeper (backends.py:212):
//
//	/<bzid>/saved_models/<model>/<sub_graph>                deploy config
//	/<bzid>/layouts/<layout>/<model>:<sub_graph>            what to load
//	/<bzid>/binding/<model>/<sub_graph>:<cluster>:<id>      who serves it (ephemeral)
//	/<bzid>/container_service/<cluster>:<id>                where (ephemeral)
type ZKBackend struct {
	// Quirks are those of the reference that the backend keeps. It is set before Start.
	Quirks quirks.Set

	e    *env.Env
	bzid string
	zk   env.ZooKeeper
	// lock is per class in the reference (Q47): an agent process has one backend.
	lock      *threading.RLock
	available *pyset.Words[datadef.SavedModel]
	// given are the models of the last call of SyncAvailableSavedModels, as they were given.
	given []datadef.SavedModel
	// unsure are those of which that call could not say whether they are bound now.
	unsure    []datadef.SavedModel
	hashing   pyset.Hashing
	services  *serviceMap
	watches   *pysem.OrderedMap[string, env.Watch] // by path
	syncModel pysem.OptString
	lost      bool
	losses    int             // of sessions so far
	own       map[string]bool // ephemeral znodes that this session has made, by path
	reported  reportedInfo
	// bindings has the names that were seen last of the bindings of a model.
	bindings map[string]*recipes.Names
	// deploys has the deploy configs that are followed, by path (Q42).
	deploys map[string]bool
}

// reportedInfo is what was last reported, with its path and JSON form: the same
// from minute to minute.
type reportedInfo struct {
	container datadef.Container
	info      datadef.ContainerServiceInfo
	path      string
	data      []byte
}

// ServiceMap is where models are served: by model, sub-graph, and containers in the
// order of their bindings.
type ServiceMap []ModelServices

// ModelServices are the sub-graphs of one model that are served.
type ModelServices struct {
	Model     string
	SubGraphs []SubGraphServices
}

// SubGraphServices are the containers that serve one sub-graph.
type SubGraphServices struct {
	SubGraph string
	Services []*datadef.ContainerServiceInfo
}

// foundServices has the service info of the container of each binding, nil where it was missing.
type foundServices = recipes.Found[*datadef.ContainerServiceInfo]

// serviceMap is what was found last of each model that is followed, nil before.
type serviceMap = pysem.OrderedMap[string, *foundServices]

// NewZKBackend makes a backend for a business id on a client that is not started yet.
func NewZKBackend(e *env.Env, bzid string, zk env.ZooKeeper) *ZKBackend {
	b := &ZKBackend{
		e: e, bzid: bzid, zk: zk,
		lock:     threading.NewRLock(e.Tasks, "backend"),
		services: pysem.NewOrderedMap[string, *foundServices](),
		watches:  pysem.NewOrderedMap[string, env.Watch](),
		hashing:  pyset.HashingOf(e.Python),
		own:      map[string]bool{}, bindings: map[string]*recipes.Names{}, deploys: map[string]bool{},
	}
	b.available = b.savedModels(nil)
	zk.AddListener(func(state env.SessionState) bool {
		b.lost = state == env.Lost // backends.py:228-235
		if b.lost {
			b.sessionLost()
			e.Log.Logf(env.Error, "zk state lost, set lost flag")
		} else {
			e.Log.Logf(env.Warning, "zk state changed to %s, unset lost flag", state)
		}
		return false
	})
	return b
}

// sessionLost notes that the ephemeral znodes of the session are gone. The reference forgets what it
// is bound to only where its next round finds the session still lost (Q208).
func (b *ZKBackend) sessionLost() {
	b.losses++
	clear(b.own)
	if !b.Quirks.Keeps(quirks.Q208) {
		b.forgetAvailable()
	}
}

// Start connects, within 15 s.
func (b *ZKBackend) Start() error { return b.zk.Start(0) }

// Stop ends the session, and with it the container's bindings and service info.
func (b *ZKBackend) Stop() { b.zk.Stop() }

func (b *ZKBackend) path(parts ...string) string {
	return "/" + b.bzid + "/" + strings.Join(parts, "/")
}

// SyncAvailableSavedModels makes the bindings of the container those of the models: it
// creates and deletes what differs from the last call, in the orders of Python's sets
// (backends.py:239). Creates and deletes that fail are only logged, and not tried again
// (Q41). After a lost session it only restarts the client: the bindings follow with the
// next call.
func (b *ZKBackend) SyncAvailableSavedModels(container datadef.Container, models []datadef.SavedModel) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.lost {
		return b.restart()
	}
	now, added, removed := b.available, []datadef.SavedModel(nil), []datadef.SavedModel(nil)
	if !slices.Equal(models, b.given) || len(b.unsure) > 0 {
		now = b.savedModels(models)
		added, removed = now.Minus(b.available).Keys(), b.available.Minus(now).Keys()
		for _, m := range b.unsure {
			if slices.Contains(models, m) && !slices.Contains(added, m) {
				added = append(added, m)
			} else if !slices.Contains(models, m) && !slices.Contains(removed, m) {
				removed = append(removed, m)
			}
		}
	}
	b.e.Log.Logf(env.Info, "available saved models updating, add: %v, remove: %v", reprOfSet(added), reprOfSet(removed))
	losses := b.losses
	if r := &b.reported; r.data != nil && !b.own[r.path] && !b.Quirks.Keeps(quirks.Q206) {
		if err := b.CreateZnode(r.path, r.data, env.CreateOptions{Ephemeral: true, MakePath: true}); err != nil {
			return err
		}
	}
	var failed []datadef.SavedModel
	for _, m := range added {
		made, err := b.create(b.bindingPath(m, container), []byte{}, env.CreateOptions{Ephemeral: true, MakePath: true})
		if err != nil {
			b.doubt(slices.Concat(added, removed))
			return err
		}
		if !made {
			failed = append(failed, m)
		}
	}
	for _, m := range removed {
		if !b.remove(b.bindingPath(m, container)) {
			failed = append(failed, m)
		}
	}
	b.e.Log.Logf(env.Info, "available saved models updated: %v", reprOfSet(now.Keys()))
	b.available, b.given = now, slices.Clone(models) // also when a create failed above (Q41)
	b.doubt(failed)
	if losses != b.losses && !b.Quirks.Keeps(quirks.Q208) {
		b.forgetAvailable()
	}
	return nil
}

// restart restarts the client, whose session is lost. Kazoo waits for a callback of a watch that runs then, and
// that one may wait for the lock, which the caller has (Q328).
func (b *ZKBackend) restart() error {
	b.forgetAvailable()
	if !b.Quirks.Keeps(quirks.Q328) {
		return nil // the client is about to connect anew
	}
	b.e.Log.Logf(env.Warning, "zk is lost, try restarting")
	return b.zk.Restart()
}

// doubt has the next call bind or delete these models again: what failed may have been done all the same.
func (b *ZKBackend) doubt(models []datadef.SavedModel) {
	if b.unsure = nil; !b.Quirks.Keeps(quirks.Q41) {
		b.unsure = models
	}
}

// forgetAvailable clears what the container is bound to.
func (b *ZKBackend) forgetAvailable() {
	b.available, b.given, b.unsure = b.savedModels(nil), nil, nil
}

// savedModels is a set of models in this process.
func (b *ZKBackend) savedModels(models []datadef.SavedModel) *pyset.Words[datadef.SavedModel] {
	return pyset.NewWords(b.hashing, savedModelKind, models...)
}

// savedModelKind hashes a model as the frozen data class that it is.
var savedModelKind = pyset.Kind[datadef.SavedModel]{
	Hash: func(h pyset.Hashing, m datadef.SavedModel) int64 {
		return pyset.Tuple(h.String(m.ModelName), h.String(m.SubGraph))
	},
	Compare: compareModels,
}

func compareModels(a, b datadef.SavedModel) int { return strings.Compare(a.String(), b.String()) }

// reprOfSet is the repr of a set of models.
func reprOfSet(models []datadef.SavedModel) pylog.Later {
	return func() string {
		if len(models) == 0 {
			return "set()"
		}
		return "{" + strings.Join(lists.Map(models, datadef.SavedModel.String), ", ") + "}"
	}
}

// Available are the models of the last call of SyncAvailableSavedModels, sorted.
func (b *ZKBackend) Available() []datadef.SavedModel {
	return slices.SortedFunc(slices.Values(b.available.Keys()), compareModels)
}

func (b *ZKBackend) bindingPath(m datadef.SavedModel, container datadef.Container) string {
	return b.path("binding", m.ModelName, m.SubGraph+":"+container.String())
}

// LayoutModel is a saved model of a layout, with its deploy config.
type LayoutModel struct {
	Model  datadef.SavedModel
	Deploy datadef.SavedModelDeployConfig
}

// RegisterLayoutCallback follows a layout (backends.py:264): it calls callback with
// its models now, on the caller's task, and after each change of the layout, on a task
// of the client. From then on the service map has the models of the layout and no
// others (Q46). The error is that of the first read or call; later ones are logged.
func (b *ZKBackend) RegisterLayoutCallback(layoutPath string, callback func([]LayoutModel) error) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	if err := b.zk.EnsurePath(layoutPath); err != nil {
		return err
	}
	var last []string
	// tell tells callback what the layout had last, once take has taken that: it may have changed while
	// the lock was taken, and before each try.
	var tell func(take func()) error
	tell = func(take func()) error {
		return b.patiently(b.Quirks.Keeps(quirks.Q320), func() error {
			b.lock.Lock()
			defer b.lock.Unlock()
			take()
			take = func() {}
			return b.layoutUpdated(last, func() error { return tell(func() {}) }, callback)
		})
	}
	update := func(children []string) error { return tell(func() { last = children }) }
	if err := b.followLayout(layoutPath, update); err != nil {
		return err
	}
	return b.childrenWatch(layoutPath, update)
}

// layoutUpdated tells callback what a layout has (backends.py:271). again does so once more.
func (b *ZKBackend) layoutUpdated(children []string, again func() error, callback func([]LayoutModel) error) error {
	b.e.Log.Logf(env.Info, "layout updated: %v", pylog.Strings(children))
	models, names, err := b.layoutModels(children, again)
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
}

// followLayout makes a layout that was deleted anew, as an empty one, and watches that; where another
// agent was quicker it watches what that has made. The reference follows it no more (Q45).
func (b *ZKBackend) followLayout(path string, update func([]string) error) error {
	if b.Quirks.Keeps(quirks.Q45) {
		return nil
	}
	made := int64(0)
	_, err := b.zk.DataWatch(path, func(_ []byte, stat *env.Stat, _ *env.WatchEvent) error {
		before := made
		if made = -1; stat != nil {
			made = stat.Czxid
		}
		if before == 0 || before == made {
			return nil
		}
		return b.zk.Retry(func() error { return b.childrenWatch(path, update) })
	})
	return err
}

// followDeploy has a layout read again when a declaration comes, goes or changes. The reference does
// not look at it before the layout changes (Q42).
func (b *ZKBackend) followDeploy(path string, again func() error) error {
	if b.Quirks.Keeps(quirks.Q42) || b.deploys[path] {
		return nil
	}
	b.deploys[path] = true
	first := true
	_, err := b.zk.DataWatch(path, func([]byte, *env.Stat, *env.WatchEvent) error {
		if first {
			first = false
			return nil
		}
		return again()
	})
	return err
}

// patiently calls fn: once, or unless the fault is kept again and again while its error may pass.
func (b *ZKBackend) patiently(kept bool, fn func() error) error {
	if kept {
		return fn()
	}
	return b.zk.Retry(fn)
}

// layoutModels reads the deploy configs, and names the models in the order of Python's set
// (backends.py:274). A model that was published before it
// was declared is left out, and stays out until the next change (Q42); a child
// without a colon is a ValueError and blocks all (Q44).
func (b *ZKBackend) layoutModels(children []string, again func() error) (models []LayoutModel, names []string, err error) {
	subscribed := pyset.Strings(b.hashing)
	for _, child := range children {
		model, err := ParseSavedModel(child)
		if err != nil && !b.Quirks.Keeps(quirks.Q44) {
			b.e.Log.Logf(env.Error, "%s in the layout is no saved model", child)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		path := b.path("saved_models", model.ModelName, model.SubGraph)
		if err := b.followDeploy(path, again); err != nil {
			return nil, nil, err
		}
		data, err := b.GetZnode(path)
		if err != nil {
			return nil, nil, err
		}
		if data == nil {
			b.e.Log.Logf(env.Error, "missing deploy config for saved model")
			continue
		}
		deploy, err := datadef.ParseSavedModelDeployConfig(data)
		if err != nil {
			return nil, nil, err
		}
		models = append(models, LayoutModel{Model: model, Deploy: deploy})
		subscribed.Add(model.ModelName)
	}
	return models, subscribed.Keys(), nil
}

// ParseSavedModel reads "<model>:<sub_graph>"; what follows a second colon is ignored,
// and a text without one is a ValueError (backends.py:277).
func ParseSavedModel(text string) (datadef.SavedModel, error) {
	model, rest, ok := strings.Cut(text, ":")
	if !ok {
		return datadef.SavedModel{}, pysem.UnpackError(2, 1)
	}
	subGraph, _, _ := strings.Cut(rest, ":")
	return datadef.SavedModel{ModelName: model, SubGraph: subGraph}, nil
}

// subscribeOnly forgets the services of models that are in no layout any more
// (backends.py:288), models that were subscribed otherwise included (Q46).
func (b *ZKBackend) subscribeOnly(names []string) {
	services := pysem.NewOrderedMap[string, *foundServices]()
	for _, name := range names {
		old, _ := b.services.Get(name)
		services.Set(name, old)
	}
	b.services = services
}

func (b *ZKBackend) watchBindings(model string) error {
	path := b.path("binding", model)
	seen := b.bindings[model]
	err := b.watchOnce(path, func() (env.Watch, error) {
		seen = nil
		return recipes.NamesWatch(b.zk, path, func(children *recipes.Names) error {
			return b.patiently(b.Quirks.Keeps(quirks.Q321), func() error { return b.bound(model, children) })
		})
	})
	if err != nil {
		return err
	}
	// A watch of before calls nothing for a model that was dropped meanwhile (Q207).
	if found, _ := b.services.Get(model); found == nil && seen != nil && !b.Quirks.Keeps(quirks.Q207) {
		return b.bound(model, seen)
	}
	return nil
}

// LookAgain reads anew where the containers serve that are bound. The reference reads that only when
// bindings change (Q43).
func (b *ZKBackend) LookAgain() error {
	if b.Quirks.Keeps(quirks.Q43) {
		return nil
	}
	b.lock.Lock()
	defer b.lock.Unlock()
	for _, model := range b.services.KeyList() {
		if names := b.bindings[model]; names != nil {
			if err := b.bound(model, names); err != nil {
				return err
			}
		}
	}
	return nil
}

// bound replaces the services of a model by those of its bindings
// (backends.py:322). A binding whose container has not told its service yet is
// left out until the next change of the bindings (Q43).
//
// Cost: a change of the bindings grows with the bindings of the model, whose service
// info is read anew in every container that follows it: n containers that bind one
// model cost n² reads in each of them.
func (b *ZKBackend) bound(model string, children *recipes.Names) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	if _, ok := b.services.Get(model); !ok {
		b.e.Log.Logf(env.Info, "model %s no longer subscribed.", model)
		return env.ErrStopWatching
	}
	b.bindings[model] = children
	found, err := recipes.GetFor(b.zk, children, b.path("container_service"), containerOf, func(child string, data []byte, err error) (*datadef.ContainerServiceInfo, error) {
		info, err := b.serviceInfo(data, err)
		if info == nil && err == nil {
			b.e.Log.Logf(env.Error, "no serivice info of %s", child)
		}
		return info, err
	})
	if err != nil {
		return err
	}
	b.services.Set(model, found)
	return nil
}

// containerOf returns the container that a binding is of. A name of fewer parts is a ValueError.
func containerOf(binding string) (string, error) {
	parts := strings.SplitN(binding, ":", 4)
	if len(parts) < 3 {
		return "", pysem.UnpackError(3, len(parts))
	}
	return datadef.Container{Cluster: parts[1], ID: parts[2]}.String(), nil
}

// servicesOf returns the services that were found, nil for none, by sub-graph.
func servicesOf(found *foundServices) (services []SubGraphServices) {
	for binding, info := range found.All() {
		if info != nil {
			subGraph, _, _ := strings.Cut(binding, ":")
			services = addService(services, subGraph, info)
		}
	}
	return services
}

func addService(services []SubGraphServices, subGraph string, info *datadef.ContainerServiceInfo) []SubGraphServices {
	for i := range services {
		if services[i].SubGraph == subGraph {
			services[i].Services = append(services[i].Services, info)
			return services
		}
	}
	return append(services, SubGraphServices{SubGraph: subGraph, Services: []*datadef.ContainerServiceInfo{info}})
}

// ServiceMap is where the models are served that the backend follows
// (backends.py:304). The list is the caller's; the service infos in it are the
// backend's own (Q48).
func (b *ZKBackend) ServiceMap() ServiceMap {
	list := make(ServiceMap, 0, b.services.Len())
	for name, found := range b.services.All {
		list = append(list, ModelServices{Model: name, SubGraphs: servicesOf(found)})
	}
	return list
}

// ReportServiceInfo writes where the container serves (backends.py:340). A create that
// fails is only logged. On an existing znode it becomes a set, so that the znode stays
// with the session that made it and goes with it (Q40).
func (b *ZKBackend) ReportServiceInfo(container datadef.Container, info *datadef.ContainerServiceInfo) error {
	if r := &b.reported; r.data == nil || r.container != container || r.info != *info || info.Odd() {
		*r = reportedInfo{container: container, info: *info, path: b.path("container_service", container.String()), data: info.Serialize()}
	}
	return b.CreateZnode(b.reported.path, b.reported.data, env.CreateOptions{Ephemeral: true, MakePath: true})
}

// GetServiceInfo reads where a container serves, nil when nothing was reported.
func (b *ZKBackend) GetServiceInfo(container datadef.Container) (*datadef.ContainerServiceInfo, error) {
	data, _, err := b.zk.Get(b.path("container_service", container.String()))
	return b.serviceInfo(data, err)
}

// serviceInfo is what the answer to a read says, nil for a znode that is missing.
func (b *ZKBackend) serviceInfo(data []byte, err error) (*datadef.ContainerServiceInfo, error) {
	if errors.Is(err, zkerrors.ErrNoNode) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if data == nil {
		data = []byte{}
	}
	return datadef.ReadContainerServiceInfo(data)
}

// childrenWatch watches a path once: a watch that is still active is kept
// (backends.py:360).
func (b *ZKBackend) childrenWatch(path string, fn env.ChildrenFunc) error {
	return b.watchOnce(path, func() (env.Watch, error) { return b.zk.ChildrenWatch(path, fn) })
}

func (b *ZKBackend) watchOnce(path string, watch func() (env.Watch, error)) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	if w, ok := b.watches.Get(path); ok && !w.Stopped() {
		b.e.Log.Logf(env.Info, "active watcher exists on path %s", path)
		return nil
	}
	if err := b.zk.EnsurePath(path); err != nil {
		return err
	}
	w, err := watch()
	if err != nil {
		return err // the constructor raised: nothing is remembered
	}
	b.watches.Set(path, w)
	b.e.Log.Logf(env.Info, "registered new watcher on %s", path)
	return nil
}

// ListSavedModels lists the declared sub-graphs of a model, none for a model that
// nobody declared.
func (b *ZKBackend) ListSavedModels(model string) ([]datadef.SavedModel, error) {
	subGraphs, err := b.zk.Children(b.path("saved_models", model))
	if errors.Is(err, zkerrors.ErrNoNode) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	models := lists.Map(subGraphs, func(s string) datadef.SavedModel { return datadef.SavedModel{ModelName: model, SubGraph: s} })
	return models, nil
}

// DeclSavedModel declares how a sub-graph is deployed; a declaration before it is
// replaced (backends.py:383).
func (b *ZKBackend) DeclSavedModel(model datadef.SavedModel, deploy *datadef.SavedModelDeployConfig) error {
	b.e.Log.Logf(env.Info, "publishing %s -> %v", model, pylog.Later(deploy.Repr))
	return b.CreateZnode(b.path("saved_models", model.ModelName, model.SubGraph), deploy.Serialize(), env.CreateOptions{MakePath: true})
}

// AddToLayout publishes a model in the layout at a path (backends.py:391).
func (b *ZKBackend) AddToLayout(layout string, model datadef.SavedModel) error {
	return b.zk.EnsurePath(layout + "/" + model.String())
}

// RemoveFromLayout takes a model out of the layout at a path; one that is not in it is
// no error (backends.py:395).
func (b *ZKBackend) RemoveFromLayout(layout string, model datadef.SavedModel) error {
	err := b.zk.Delete(layout+"/"+model.String(), env.AnyVersion)
	if errors.Is(err, zkerrors.ErrNoNode) {
		return nil
	}
	return err
}

// SubscribeModel makes the backend follow where one model is served, for parameter
// synchronisation (backends.py:466). A second call with another model is an
// AssertionError (Q49).
func (b *ZKBackend) SubscribeModel(model string) error {
	if b.syncModel.Set {
		if b.syncModel.V == model {
			return nil
		}
		return &pysem.Error{Type: "AssertionError"}
	}
	b.syncModel = pysem.Some(model)
	old, _ := b.services.Get(model)
	b.services.Set(model, old)
	return b.watchBindings(model)
}

// SyncTargets are the gRPC addresses that serve a sub-graph of the subscribed model,
// and its full name, "<model>:<sub_graph>" (backends.py:477). After a lost session it
// first restarts the client.
func (b *ZKBackend) SyncTargets(subGraph string) (name string, addrs []pysem.OptString, err error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.lost {
		if err := b.restart(); err != nil {
			return "", nil, err
		}
	}
	found, _ := b.services.Get(b.syncModel.V)
	for _, s := range servicesOf(found) {
		if s.SubGraph == subGraph {
			for _, info := range s.Services {
				addrs = append(addrs, info.GRPC)
			}
		}
	}
	return b.syncModel.String() + ":" + subGraph, addrs, nil
}

// CreateZnode creates or, when the znode exists, sets (backends.py:489). Errors
// of the create are only logged; those of the set are the caller's.
func (b *ZKBackend) CreateZnode(path string, data []byte, o env.CreateOptions) error {
	_, err := b.create(path, data, o)
	return err
}

// create is CreateZnode, and reports whether the znode is there. With Q40 repaired an ephemeral one of
// another session is made anew, so that it does not go with that.
func (b *ZKBackend) create(path string, data []byte, o env.CreateOptions) (made bool, err error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	losses := b.losses
	_, err = b.zk.Create(path, data, o)
	if errors.Is(err, zkerrors.ErrNodeExists) {
		if !o.Ephemeral || b.own[path] || b.Quirks.Keeps(quirks.Q40) {
			return true, b.zk.Retry(func() error {
				return b.zk.Set(path, data, -1)
			})
		}
		b.remove(path)
		_, err = b.zk.Create(path, data, o)
	}
	if err != nil {
		b.e.Log.Logf(env.Error, "exception in create_znode: %s", pylog.Text(err))
		return false, nil
	}
	if o.Ephemeral && losses == b.losses {
		b.own[path] = true
	}
	return true, nil
}

// DeleteZnode deletes a znode; errors are only logged (backends.py:501).
func (b *ZKBackend) DeleteZnode(path string) { b.remove(path) }

// remove is DeleteZnode, and reports whether the znode is gone.
func (b *ZKBackend) remove(path string) (gone bool) {
	b.lock.Lock()
	defer b.lock.Unlock()
	delete(b.own, path)
	err := b.zk.Delete(path, env.AnyVersion)
	if err != nil {
		b.e.Log.Logf(env.Error, "exception in delete_znode: %s", pylog.Text(err))
	}
	return err == nil || errors.Is(err, zkerrors.ErrNoNode)
}

// GetZnode reads a znode, nil when it is missing (backends.py:508).
func (b *ZKBackend) GetZnode(path string) ([]byte, error) {
	data, _, err := b.zk.Get(path)
	if errors.Is(err, zkerrors.ErrNoNode) {
		return nil, nil
	}
	if data == nil && err == nil {
		data = []byte{}
	}
	return data, err
}
