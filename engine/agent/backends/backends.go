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
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/pyset"
	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/recipes"
)

// ZKBackend keeps layouts, bindings and service infos in ZooKeeper (backends.py:212):
//
//	/<bzid>/saved_models/<model>/<sub_graph>                how a sub-graph is deployed
//	/<bzid>/layouts/<layout>/<model>:<sub_graph>            a sub-graph to load
//	/<bzid>/binding/<model>/<sub_graph>:<cluster>:<id>      a container that serves it (ephemeral)
//	/<bzid>/container_service/<cluster>:<id>                that container's addresses (ephemeral)
type ZKBackend struct {
	// Quirks is the set of the reference's faults that the backend keeps. Set it before Start.
	Quirks quirks.Set

	e    *env.Env
	bzid string
	zk   env.ZooKeeper
	// lock is a class attribute in the reference (Q47). Here each backend has its own, which is the
	// same as long as a process has one backend.
	lock      *threading.RLock
	available *pyset.Words[datadef.SavedModel]
	// given holds the models of the last call of SyncAvailableSavedModels, in the order of its
	// argument.
	given []datadef.SavedModel
	// unsure holds the models for which the last call of SyncAvailableSavedModels could not tell
	// whether they are bound now.
	unsure    []datadef.SavedModel
	hashing   pyset.Hashing
	services  *serviceMap
	watches   *pysem.OrderedMap[string, env.Watch] // present watch of each znode, by path
	syncModel pysem.OptString
	lost      bool
	losses    int             // number of sessions that were lost so far
	own       map[string]bool // ephemeral znodes that this session has made, by path
	reported  reportedInfo
	// bindings holds, for each model, the names of its bindings when they were last read.
	bindings map[string]*recipes.Names
	// deploys holds the paths of the deploy configs that the backend watches (Q42).
	deploys map[string]bool
}

// reportedInfo caches the last reported service info with its path and JSON form. The report
// usually repeats unchanged every minute.
type reportedInfo struct {
	container datadef.Container
	info      datadef.ContainerServiceInfo
	path      string
	data      []byte
}

// ServiceMap lists where models are served: by model, then by sub-graph, then the containers in the
// order of their bindings.
type ServiceMap []ModelServices

// ModelServices lists the served sub-graphs of one model.
type ModelServices struct {
	Model     string
	SubGraphs []SubGraphServices
}

// SubGraphServices lists the containers that serve one sub-graph.
type SubGraphServices struct {
	SubGraph string
	Services []*datadef.ContainerServiceInfo
}

// foundServices holds, for each binding of a model, the service info of the binding's container. It
// is nil for a container without one.
type foundServices = recipes.Found[*datadef.ContainerServiceInfo]

// serviceMap maps each watched model to the services that were last found, nil before the first
// read.
type serviceMap = pysem.OrderedMap[string, *foundServices]

// NewZKBackend makes a backend for a business id. The client zk must not be started yet.
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

// sessionLost records that the session's ephemeral znodes are gone. The reference notices a lost
// session only if it is still lost in the next round. Otherwise it believes that its bindings exist
// (Q208).
func (b *ZKBackend) sessionLost() {
	b.losses++
	clear(b.own)
	if !b.Quirks.Keeps(quirks.Q208) {
		b.forgetAvailable()
	}
}

// Start connects to ZooKeeper. It fails after 15 s without a connection.
func (b *ZKBackend) Start() error { return b.zk.Start(0) }

// Stop ends the session. That deletes the container's bindings and service info, which are
// ephemeral.
func (b *ZKBackend) Stop() { b.zk.Stop() }

func (b *ZKBackend) path(parts ...string) string {
	return "/" + b.bzid + "/" + strings.Join(parts, "/")
}

// SyncAvailableSavedModels binds the container to exactly the given models. It creates and deletes
// what differs from the last call, in the order of Python's sets (backends.py:239). Creates and
// deletes that fail are only logged, and not tried again (Q41). After a lost session it only
// restarts the client, and the next call makes the bindings.
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
	b.available, b.given = now, slices.Clone(models) // recorded even if a create above has failed (Q41)
	b.doubt(failed)
	if losses != b.losses && !b.Quirks.Keeps(quirks.Q208) {
		b.forgetAvailable()
	}
	return nil
}

// restart restarts the client, whose session is lost. The caller holds the lock. If a watch's
// callback is running, Kazoo waits for it to return. That callback may itself wait for the lock,
// which is a deadlock (Q328).
func (b *ZKBackend) restart() error {
	b.forgetAvailable()
	if !b.Quirks.Keeps(quirks.Q328) {
		return nil // kazoo reconnects by itself, so nothing has to be restarted
	}
	b.e.Log.Logf(env.Warning, "zk is lost, try restarting")
	return b.zk.Restart()
}

// doubt makes the next SyncAvailableSavedModels bind or delete these models again, because an
// operation that failed may still have taken effect on the server.
func (b *ZKBackend) doubt(models []datadef.SavedModel) {
	if b.unsure = nil; !b.Quirks.Keeps(quirks.Q41) {
		b.unsure = models
	}
}

// forgetAvailable forgets which models the container is bound to.
func (b *ZKBackend) forgetAvailable() {
	b.available, b.given, b.unsure = b.savedModels(nil), nil, nil
}

// savedModels makes a set of models that has the order of a Python set in this process.
func (b *ZKBackend) savedModels(models []datadef.SavedModel) *pyset.Words[datadef.SavedModel] {
	return pyset.NewWords(b.hashing, savedModelKind, models...)
}

// savedModelKind hashes a model as Python hashes the frozen dataclass SavedModel.
var savedModelKind = pyset.Kind[datadef.SavedModel]{
	Hash: func(h pyset.Hashing, m datadef.SavedModel) int64 {
		return pyset.Tuple(h.String(m.ModelName), h.String(m.SubGraph))
	},
	Compare: compareModels,
}

func compareModels(a, b datadef.SavedModel) int { return strings.Compare(a.String(), b.String()) }

// reprOfSet returns Python's repr of a set of models, computed when it is logged.
func reprOfSet(models []datadef.SavedModel) pylog.Later {
	return func() string {
		if len(models) == 0 {
			return "set()"
		}
		return "{" + strings.Join(lists.Map(models, datadef.SavedModel.String), ", ") + "}"
	}
}

// Available returns the models of the last call of SyncAvailableSavedModels, sorted.
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

// RegisterLayoutCallback watches a layout (backends.py:264). It calls callback with the layout's
// models now, on the caller's task, and after each change, on a task of the client. From then on
// the service map has the models of the layout and no others (Q46). It returns the error of the
// first read or callback; later errors are logged.
func (b *ZKBackend) RegisterLayoutCallback(layoutPath string, callback func([]LayoutModel) error) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	// If the layout is read before anything else (Q323 repaired), a lost connection would end the
	// agent here. So the call is repeated until it succeeds.
	if err := b.patiently(b.Quirks.Keeps(quirks.Q323), func() error { return b.zk.EnsurePath(layoutPath) }); err != nil {
		return err
	}
	var last []string
	// tell calls callback with the last children of the layout. take stores the children of a new event,
	// and runs under the lock: events that wait for the lock would otherwise overwrite each other.
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

// layoutUpdated calls callback with the models of a layout (backends.py:271). again is a function
// that reads the layout once more.
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

// followLayout restores a deleted layout as an empty one and watches it. If another agent restores
// the layout first, this agent watches the other agent's layout. The reference stops watching a
// deleted layout (Q45).
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

// followDeploy reads the layout again when a deploy config is created, deleted or changed. The
// reference looks at it only when the layout itself changes (Q42).
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

// patiently calls fn only once if kept is set, which means that the reference's fault is kept.
// Otherwise it repeats fn as long as the error is of a kind that may pass.
func (b *ZKBackend) patiently(kept bool, fn func() error) error {
	if kept {
		return fn()
	}
	return b.zk.Retry(fn)
}

// layoutModels reads the deploy configs of a layout's children. It returns the models, and their
// names in the order of Python's set (backends.py:274). A model that was published before it was
// declared is left out until the next change of the layout (Q42). A child without a colon is a
// ValueError, which makes the whole layout fail (Q44).
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

// ParseSavedModel parses "<model>:<sub_graph>". It ignores what follows a second colon. A text
// without a colon is a ValueError (backends.py:277).
func ParseSavedModel(text string) (datadef.SavedModel, error) {
	model, rest, ok := strings.Cut(text, ":")
	if !ok {
		return datadef.SavedModel{}, pysem.UnpackError(2, 1)
	}
	subGraph, _, _ := strings.Cut(rest, ":")
	return datadef.SavedModel{ModelName: model, SubGraph: subGraph}, nil
}

// subscribeOnly forgets the services of models that are no longer in the layout (backends.py:288).
// That includes models that were subscribed in another way (Q46).
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
	// An existing watch does not fire for a model that was dropped and is back, so the bindings are
	// read here (Q207).
	if found, _ := b.services.Get(model); found == nil && seen != nil && !b.Quirks.Keeps(quirks.Q207) {
		return b.bound(model, seen)
	}
	return nil
}

// LookAgain reads the service infos of all bound containers again. The reference reads them only
// when bindings change (Q43).
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

// bound replaces the services of a model by the services of its present bindings (backends.py:322).
// A binding whose container has not reported its service info yet is left out until the next change
// of the bindings (Q43).
//
// Cost: at a change of the bindings, every container that follows the model reads the service info
// of each binding anew. So n containers that bind one model cost n^2 reads in each of them.
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

// containerOf returns the "<cluster>:<id>" of the container in a binding's name. A name with fewer
// than three parts is a ValueError.
func containerOf(binding string) (string, error) {
	parts := strings.SplitN(binding, ":", 4)
	if len(parts) < 3 {
		return "", pysem.UnpackError(3, len(parts))
	}
	return datadef.Container{Cluster: parts[1], ID: parts[2]}.String(), nil
}

// servicesOf groups the service infos in found by sub-graph. It returns nil if there are none.
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

// ServiceMap returns where the watched models are served (backends.py:304). Callers may change the
// list. They must not change the service infos in it, which belong to the backend (Q48).
func (b *ZKBackend) ServiceMap() ServiceMap {
	list := make(ServiceMap, 0, b.services.Len())
	for name, found := range b.services.All {
		list = append(list, ModelServices{Model: name, SubGraphs: servicesOf(found)})
	}
	return list
}

// ReportServiceInfo writes the container's addresses to its znode (backends.py:340). An error of
// the create is only logged. If the znode exists, its data is set. Then it still belongs to the
// session that made it, and disappears with that session (Q40).
func (b *ZKBackend) ReportServiceInfo(container datadef.Container, info *datadef.ContainerServiceInfo) error {
	if r := &b.reported; r.data == nil || r.container != container || r.info != *info || info.Odd() {
		*r = reportedInfo{container: container, info: *info, path: b.path("container_service", container.String()), data: info.Serialize()}
	}
	return b.CreateZnode(b.reported.path, b.reported.data, env.CreateOptions{Ephemeral: true, MakePath: true})
}

// GetServiceInfo reads the addresses of a container. It returns nil if the container has reported
// none.
func (b *ZKBackend) GetServiceInfo(container datadef.Container) (*datadef.ContainerServiceInfo, error) {
	data, _, err := b.zk.Get(b.path("container_service", container.String()))
	return b.serviceInfo(data, err)
}

// serviceInfo parses the result of a read. It returns nil for a missing znode.
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

// childrenWatch watches the children of a path. If a watch on the path is still active, it keeps
// that one and sets no other (backends.py:360).
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
		return err // Python's constructor raises here, so no watch is remembered
	}
	b.watches.Set(path, w)
	b.e.Log.Logf(env.Info, "registered new watcher on %s", path)
	return nil
}

// ListSavedModels lists the declared sub-graphs of a model. The list is empty for a model that was
// never declared.
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

// DeclSavedModel declares how a sub-graph is deployed. It replaces an earlier declaration
// (backends.py:383).
func (b *ZKBackend) DeclSavedModel(model datadef.SavedModel, deploy *datadef.SavedModelDeployConfig) error {
	b.e.Log.Logf(env.Info, "publishing %s -> %v", model, pylog.Later(deploy.Repr))
	return b.CreateZnode(b.path("saved_models", model.ModelName, model.SubGraph), deploy.Serialize(), env.CreateOptions{MakePath: true})
}

// AddToLayout publishes a model in the layout at the given path (backends.py:391).
func (b *ZKBackend) AddToLayout(layout string, model datadef.SavedModel) error {
	return b.zk.EnsurePath(layout + "/" + model.String())
}

// RemoveFromLayout removes a model from the layout at the given path. It is no error if the model
// is not in the layout (backends.py:395).
func (b *ZKBackend) RemoveFromLayout(layout string, model datadef.SavedModel) error {
	err := b.zk.Delete(layout+"/"+model.String(), env.AnyVersion)
	if errors.Is(err, zkerrors.ErrNoNode) {
		return nil
	}
	return err
}

// SubscribeModel makes the backend watch where one model is served, for parameter synchronization
// (backends.py:466). A second call with a different model is an AssertionError (Q49).
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

// SyncTargets returns the gRPC addresses that serve a sub-graph of the subscribed model, and the
// full name "<model>:<sub_graph>" (backends.py:477). After a lost session it first restarts the
// client.
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

// CreateZnode creates a znode, or sets its data if it exists (backends.py:489). Errors of the
// create are only logged. Errors of the set are returned.
func (b *ZKBackend) CreateZnode(path string, data []byte, o env.CreateOptions) error {
	_, err := b.create(path, data, o)
	return err
}

// create works as CreateZnode, and also returns whether the znode exists now. With Q40 repaired, an
// ephemeral znode of another session is deleted and created again, so that it survives that
// session.
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

// DeleteZnode deletes a znode. Errors are only logged (backends.py:501).
func (b *ZKBackend) DeleteZnode(path string) { b.remove(path) }

// remove works as DeleteZnode, and also returns whether the znode is gone now.
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

// GetZnode returns the data of a znode, or nil if the znode is missing (backends.py:508).
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
