package agentcheck

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners"
)

// place describes the task of an agent, as derived from its configuration.
type place struct {
	pod string
	v1  bool
	// prefix is the znode below which an agent v3 has all of its znodes, and an agent v1 those of
	// its tasks.
	prefix string
	// tasks lists the tasks of an agent v1. before lists the models that its entry waits for.
	tasks, before []target
	// rough is its rough sort model, nil for none.
	rough *rough
	// layout, filters and container are set for agents v3 only.
	layout    string
	filters   []agentconfig.LayoutFilter
	container string
}

// target is one model that a pod has to serve.
type target struct {
	// kind is the kind of model server, and model the model's name on it. key is the model's key
	// in the answer to a HeartBeat.
	kind, model, key string
	// base is the directory of the model's versions. all says whether all versions are served,
	// or only the newest.
	base string
	all  bool
	// frozen says that the server looks for versions only when it starts.
	frozen bool
	// node is the znode that says that the pod serves the model, "" if there is no such znode.
	node string
	// rough is set for a part of a rough sort model. The versions of such a target are those that
	// were received completely.
	rough *rough
}

// dir is the folder of a version.
func (t *target) dir(version int64) string {
	base, name := t.base, strconv.FormatInt(version, 10)
	if t.rough != nil {
		base = t.rough.folder(name) + "/" + t.rough.model + "/" + t.base
	}
	return base + "/" + name
}

// placeOf returns the place of an agent, from a cache if it is known.
func (c *Checker) placeOf(pod string, a agent.Agent) (p *place, err error) {
	if p := c.places[a]; p != nil {
		return p, nil
	}
	switch a := a.(type) {
	case *agent.AgentV1:
		p, err = placeV1(a)
	case *agent.AgentV3:
		p, err = placeV3(a)
	default:
		return nil, fmt.Errorf("agents: found %T, want one of version 1 or 3", a)
	}
	if err == nil {
		p.pod = pod
		c.places[a] = p
	}
	return p, err
}

// whole is the state of one complete check of the cluster.
type whole struct {
	*Checker
	// served maps a prefix and a target's key, joined by a blank, to the pods that agents have to
	// list for that key.
	served map[string][]string
	// nodes maps a znode to the entry of served that it was counted for. Dense agents of one pod
	// may share a znode (Q2), which counts once.
	nodes map[string]string
	// places holds one place for each pod. waits marks the pods whose agent cannot ask its model
	// server.
	places map[string]*place
	waits  map[string]bool
	// broken is the first broken invariant that was found without asking an agent, nil if there is
	// none.
	broken *runners.Broken
}

// Whole returns nil if the cluster is in its wanted state. Every pod then runs with its servers,
// and serves the newest version of each published model and nothing else. It is registered for
// exactly the models that it serves, and every agent lists exactly the pods that serve each model.
// Otherwise Whole returns the first [runners.Broken]. It asks the agents last, over the network.
func (c *Checker) Whole() error {
	c.now = max(c.now, c.view.Now())
	at := mark{c.view.Changes(), true}
	if c.judged == at {
		return c.found.all()
	}
	w := &whole{Checker: c, served: map[string][]string{}, nodes: map[string]string{}, places: map[string]*place{}, waits: map[string]bool{}}
	switch err := w.withoutAsking().(type) {
	case nil:
	case runners.Broken:
		w.broken = &err
	default:
		return err
	}
	c.judged, c.found = at, w
	return w.all()
}

// all returns what was found broken without asking an agent. If nothing was, it asks all agents.
func (w *whole) all() error {
	if w.broken != nil {
		w.broken.At = w.now
		return *w.broken
	}
	for _, p := range w.view.Pods() {
		if w.waits[p.Name] {
			continue
		}
		if err := w.lists(p.Name); err != nil {
			return err
		}
	}
	return nil
}

// withoutAsking checks everything that can be seen without asking an agent.
func (w *whole) withoutAsking() error {
	if len(w.unreadable) > 0 {
		for _, p := range w.view.Pods() {
			w.waits[p.Name] = true
		}
		return nil
	}
	for _, p := range w.view.Pods() {
		if err := w.pod(p.Name); err != nil {
			return err
		}
	}
	return w.noOthers()
}

// pod checks everything about one pod that can be seen without asking its agent.
func (w *whole) pod(pod string) error {
	s, err := w.view.PodState(pod)
	if err != nil {
		return err
	}
	agents := w.view.Agents(pod)
	if !s.Running || len(agents) == 0 {
		return w.failure(Runs, "%s does not run, want it to", pod)
	}
	for _, a := range agents {
		p, err := w.placeOf(pod, a)
		if err != nil {
			return err
		}
		w.places[pod] = p
		if err := w.agent(pod, p, s); err != nil {
			return err
		}
	}
	return nil
}

// agent checks the models that one agent of a pod has to serve.
func (w *whole) agent(pod string, p *place, s runners.PodState) error {
	if waiting, err := w.awaitsModel(p); err != nil || waiting {
		w.waits[pod] = true
		return cmp.Or(err, w.noOtherCopies(pod, p))
	}
	targets, err := w.targets(p)
	if err != nil {
		return err
	}
	held, err := w.empty(p.before)
	if err != nil {
		return err
	}
	for i := range p.before {
		given, err := w.unserved(p, &p.before[i])
		if err != nil {
			return err
		}
		if given {
			held[p.before[i].kind] = true
		}
	}
	if err := w.servers(pod, p, s, held); err != nil {
		return err
	}
	stuck, err := w.empty(targets)
	if err != nil {
		return err
	}
	maps.Copy(stuck, held)
	stuck[""] = stuck[""] || w.shut[pod] || w.wedged(pod)
	for i, t := range targets {
		check := w.target
		if stuck[t.kind] {
			check = w.asFound
		}
		if err := check(pod, p, &targets[i]); err != nil {
			return err
		}
	}
	if p.v1 {
		return w.noOtherCopies(pod, p)
	}
	info := p.prefix + "/container_service/" + p.container
	if _, ok, err := w.view.Znode(info); err != nil || !ok {
		return cmp.Or(err, error(w.failure(Info, "%s has no service info, want %s", pod, info)))
	}
	if w.wedged(pod) {
		return nil
	}
	return w.nothingElse(pod, p, targets)
}

// empty lists the kinds of servers that have a model without any complete version, as when
// it was deleted during its export. Such a server opens no port and accepts no other
// configuration (TFS-9.2, TFS-8.7). If it is a PS, the entry waits for it. No agent can
// repair that.
func (c *Checker) empty(targets []target) (kinds map[string]bool, err error) {
	kinds = map[string]bool{}
	for i := range targets {
		list, err := c.versions(&targets[i])
		if err != nil {
			return nil, err
		}
		whole := len(list) > 0
		for _, v := range list {
			files, err := c.view.StoredNames(targets[i].dir(v))
			if err != nil {
				return nil, err
			}
			whole = whole && slices.Contains(files, "saved_model.pb") && slices.Contains(files, "variables")
		}
		if !whole {
			kinds[targets[i].kind] = true
		}
	}
	return kinds, nil
}

// endless is the time after which a reload that still waits for its models counts as one that never
// returns.
const endless = 2 * time.Minute

// unserved reports whether the entry of a place waits in vain for a model: no pod serves the model,
// because its loads have failed, and no server tries a failed load again (TFS-5.4).
func (c *Checker) unserved(p *place, t *target) (failed bool, err error) {
	kind, _, _ := strings.Cut(t.model, "_")
	newest, err := c.versions(t)
	if err != nil {
		return false, err
	}
	for _, other := range c.view.Pods() {
		elsewhere := false
		for _, a := range c.view.Agents(other.Name) {
			o, err := c.placeOf(other.Name, a)
			if err != nil {
				return false, err
			}
			elsewhere = elsewhere || o.prefix != p.prefix
		}
		if elsewhere {
			continue
		}
		if len(c.available(other.Name, kind, t.model)) > 0 {
			return false, nil
		}
		failed = failed || c.failed(other.Name, &target{kind: kind, model: t.model}, newest)
	}
	return failed, nil
}

// lookAtReloads notes which servers are in a reload.
func (c *Checker) lookAtReloads() {
	for _, p := range c.view.Pods() {
		since, before := c.reloads[p.Name]
		switch on := c.view.Reloading(p.Name); {
		case !on && before:
			delete(c.reloads, p.Name)
			c.judged = mark{}
		case on && !before:
			c.reloads[p.Name] = c.now
		case on && c.now > since+endless:
			c.judged = mark{} // the server now counts as wedged, so the state has to be judged again
		}
	}
}

// wedged reports whether the server of a pod is in a reload that does not return. Such a server
// takes no other configuration (TFS-8.7, TFS-8.8), and no agent can change that.
func (c *Checker) wedged(pod string) bool {
	since, on := c.reloads[pod]
	return on && c.now > since+endless
}

// lookAtShut is called for a pod whose server has not opened its port. It notes whether the server
// is asked for a model without any version. Such a server never opens its port, and takes no other
// configuration, whatever is published later.
func (c *Checker) lookAtShut(pod string) {
	for _, a := range c.view.Agents(pod) {
		p, err := c.placeOf(pod, a)
		if err != nil || p.v1 {
			return
		}
		targets, err := c.targets(p)
		if err != nil {
			return
		}
		if stuck, err := c.empty(targets); err == nil && len(stuck) > 0 {
			c.shut[pod] = true
		}
	}
}

// isStuck reports whether a server of a pod cannot load what is published, or could not when the
// pod last ran. A server whose loads have failed ends, and the whole pod restarts with it.
func (c *Checker) isStuck(pod string) bool {
	if c.shut[pod] || len(c.unreadable) > 0 || c.wedged(pod) {
		return true
	}
	for _, a := range c.view.Agents(pod) {
		if _, err := c.placeOf(pod, a); err != nil {
			return false
		}
	}
	for _, p := range c.places {
		if p.pod != pod {
			continue
		}
		targets, err := c.targets(p)
		if err != nil {
			continue
		}
		if stuck, err := c.empty(slices.Concat(targets, p.before)); err == nil && len(stuck) > 0 {
			return true
		}
		if slices.ContainsFunc(targets, func(t target) bool {
			newest, err := c.versions(&t)
			return err == nil && c.failed(pod, &t, newest)
		}) {
			return true
		}
	}
	return false
}

// isUp reports whether all servers of a pod of v1 are registered as AVAILABLE. Before that, the agent
// asks servers that cannot answer. An entry does not start while it waits for a PS, which may have
// given up (TFS-5.4). And gRPC may connect to a server only two minutes after the server has started.
func (c *Checker) isUp(pod string) bool {
	for _, p := range c.places {
		if p.pod != pod || !p.v1 {
			continue
		}
		for i := range p.tasks {
			if p.tasks[i].node == "" {
				continue
			}
			if z, ok, err := c.view.Znode(p.tasks[i].node); err == nil && (!ok || replicaOf(z.Data).Stat != env.StateAvailable) {
				return false
			}
		}
	}
	return true
}

// asFound checks a pod whose server is stuck. If the pod is registered for the model, agents have
// to list it. If its server serves the model although it is stuck, the pod has to be registered.
func (w *whole) asFound(pod string, p *place, t *target) error {
	if t.node == "" {
		return nil
	}
	z, ok, err := w.view.Znode(t.node)
	if err == nil && !ok && len(w.available(pod, t.kind, t.model)) > 0 {
		return w.failure(Bound, "%s serves %s, want %s, got none", pod, t.model, t.node)
	}
	says := !p.v1 || ok && replicaOf(z.Data).Stat == env.StateAvailable
	if ok && !says && len(w.available(pod, t.kind, t.model)) > 0 {
		return w.failure(Bound, "%s serves %s, want %s as AVAILABLE, got %v", pod, t.model, t.node, replicaOf(z.Data).Stat)
	}
	if stat := replicaOf(z.Data).Stat; ok && p.v1 && stat != env.StateEnd && stat != env.StateUnknown && w.givenUp(pod, t) {
		return w.failure(Bound, "%s has given up all versions of %s, want %s as END, got %v", pod, t.model, t.node, stat)
	}
	if ok && says {
		w.serves(pod, p, t)
	}
	w.waits[pod] = w.waits[pod] || !p.v1 && len(w.available(pod, t.kind, t.model)) == 0
	return err
}

// serves records that agents have to list a pod for a target. It counts each znode once.
func (w *whole) serves(pod string, p *place, t *target) {
	key := p.prefix + " " + t.key
	if w.nodes[t.node] != key {
		w.nodes[t.node] = key
		w.served[key] = append(w.served[key], pod)
	}
}

// servers checks that a model server of each kind runs, except for an entry that waits.
func (w *whole) servers(pod string, p *place, s runners.PodState, held map[string]bool) error {
	want := lists.ToMap(p.tasks, func(t target) (string, bool) { return t.kind, t.kind != agentconfig.ServerEntry || !held[t.kind] })
	if !p.v1 {
		want[""] = true
	}
	for _, server := range s.ModelServers {
		delete(want, server.Kind)
	}
	for _, kind := range slices.Sorted(maps.Keys(want)) {
		if want[kind] {
			return w.failure(Servers, "the %s server of %s does not run, want it to", cmp.Or(kind, "model"), pod)
		}
	}
	return nil
}

// target checks that a pod serves the newest version of a model and is registered for it.
func (w *whole) target(pod string, p *place, t *target) error {
	want, err := w.versions(t)
	if err != nil {
		return err
	}
	if got := w.available(pod, t.kind, t.model); !slices.Equal(got, want) && !(t.frozen && len(got) > 0) {
		if w.failed(pod, t, want) {
			return w.asFound(pod, p, t)
		}
		return w.failure(Serves, "versions of %s that %s serves, want %v, got %v", t.model, pod, want, got)
	}
	if t.node == "" {
		return nil
	}
	z, ok, err := w.view.Znode(t.node)
	switch {
	case err != nil:
		return err
	case !ok:
		return w.failure(Bound, "%s serves %s, want %s, got none", pod, t.model, t.node)
	case !z.Ephemeral:
		return w.failure(Bound, "%s, want it ephemeral", t.node)
	}
	if p.v1 {
		s, err := w.view.PodState(pod)
		if err != nil {
			return err
		}
		r := replicaOf(z.Data)
		at := func(m runners.ModelServerState) bool {
			return m.Kind == t.kind && r.Address == s.IP+":"+strconv.Itoa(m.Port)
		}
		if !slices.ContainsFunc(s.ModelServers, at) || r.Stat != env.StateAvailable {
			return w.failure(Bound, "%s, want %s as AVAILABLE at %s with the port of its server, got %v at %s", t.node, pod, s.IP, r.Stat, r.Address)
		}
	}
	w.serves(pod, p, t)
	return nil
}

// versions lists the versions of a target that have to be served, in ascending order.
func (c *Checker) versions(t *target) ([]int64, error) {
	from := t.base
	if t.rough != nil {
		from = t.rough.source
	}
	names, err := c.view.StoredNames(from)
	if err != nil {
		return nil, err
	}
	if t.rough != nil {
		names = t.rough.received(names)
	}
	var list []int64
	for _, name := range names {
		if n, err := strconv.ParseInt(name, 10, 64); err == nil {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	if !t.all && len(list) > 1 {
		list = list[len(list)-1:]
	}
	return list, nil
}

// available lists the AVAILABLE versions of a model on a server, in ascending order.
func (c *Checker) available(pod, kind, model string) (list []int64) {
	versions, err := c.view.ModelStatus(pod, kind, model)
	if err != nil {
		return nil
	}
	for _, v := range versions {
		if v.State == env.StateAvailable {
			list = append(list, v.Version)
		}
	}
	slices.Sort(list)
	return list
}

// failed reports whether one of the versions could not be loaded. Its server never retries
// that load (TFS-5.4).
func (c *Checker) failed(pod string, t *target, versions []int64) bool {
	statuses, err := c.view.ModelStatus(pod, t.kind, t.model)
	return err == nil && slices.ContainsFunc(statuses, func(s env.ModelVersionStatus) bool {
		return s.State == env.StateEnd && s.Status.Code != rpcerrors.OK && slices.Contains(versions, s.Version)
	})
}

// givenUp reports whether no version of a model is left on its server, and one could not be loaded.
func (c *Checker) givenUp(pod string, t *target) (failed bool) {
	statuses, _ := c.view.ModelStatus(pod, t.kind, t.model)
	for _, s := range statuses {
		if s.State != env.StateEnd {
			return false
		}
		failed = failed || s.Status.Code != rpcerrors.OK
	}
	return failed
}

// nothingElse checks that a pod of v3 serves no declared model other than its targets.
func (w *whole) nothingElse(pod string, p *place, targets []target) error {
	models, _, err := w.view.Znode(p.prefix + "/saved_models")
	if err != nil {
		return err
	}
	for _, model := range models.Children {
		graphs, _, err := w.view.Znode(p.prefix + "/saved_models/" + model)
		if err != nil {
			return err
		}
		for _, g := range graphs.Children {
			name := model + ":" + g
			if slices.ContainsFunc(targets, func(t target) bool { return t.model == name }) {
				continue
			}
			if got := w.available(pod, "", name); len(got) > 0 {
				return w.failure(Unloads, "%s serves versions %v of %s, want none: it is not published to it", pod, got, name)
			}
		}
	}
	return nil
}

// noOthers checks that there are no bindings for models that are not served.
func (w *whole) noOthers() error {
	for _, path := range slices.Sorted(maps.Keys(w.registered.nodes)) {
		n := w.registered.nodes[path]
		p := w.places[n.pod]
		if n.v1 || p == nil {
			continue
		}
		if !slices.Contains(w.served[p.prefix+" "+n.model], n.pod) && len(w.available(n.pod, n.kind, n.model)) == 0 {
			return w.failure(Bound, "%s is there, want none: %s does not serve %s", path, n.pod, n.model)
		}
	}
	return nil
}

// lists checks that an agent lists, for each model, exactly the pods that serve it.
func (w *whole) lists(pod string) error {
	prefix := w.places[pod].prefix + " "
	for _, name := range slices.Sorted(maps.Keys(w.served)) {
		key, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		got, err := runners.ListedOn(w.view, pod, key)
		if err != nil {
			return w.failure(Answers, "the agent of %s does not answer, want it to: %v", pod, err)
		}
		want := slices.Sorted(slices.Values(w.served[name]))
		if !slices.Equal(got, want) {
			return w.failure(Listed, "pods on which the agent of %s lists %s, want %v, got %v", pod, key, want, got)
		}
		if !w.places[pod].v1 {
			continue
		}
		if got, err = runners.ListedAlone(w.view, pod, key); err != nil {
			return w.failure(Answers, "the agent of %s does not answer, want it to: %v", pod, err)
		}
		if !slices.Equal(got, want) {
			return w.failure(Listed, "pods with which the agent of %s answers GetReplicas of %s, want %v, got %v", pod, key, want, got)
		}
	}
	return nil
}
