package training

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkbulk"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/envutils"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/recipes"
)

// ZKServiceDiscovery keeps the processes of a job as ephemeral znodes
// /monolith/<job>/<name>.<index> that hold their addresses (service_discovery.py:243).
type ZKServiceDiscovery struct {
	e       *env.Env
	zk      env.ZooKeeper // nil once closed
	quirks  quirks.Set
	retry   recipes.Retry
	prefix  string
	cluster []*namedProcesses
	// removals counts the processes that have gone. As long as none goes, those of settled,
	// blocks of children, are all known.
	removals int
	// odd counts the data that were not usual: of those by which no process goes that was
	// there, and one only comes by its own name.
	odd       int
	settled   []*zkbulk.Block
	settledAt int // removals at that time
	names     *env.Names
	watched   []uint64 // the children that bulk watches, a bit each by their numbers in names
	bulk      zkbulk.DataWatches
	threads   []*registration // in the order of their first registration
	lost      bool
}

// registration is a process that is registered again now and then.
type registration struct {
	name   string
	index  int
	task   env.Task
	wakeup *threading.Event
	stop   bool
}

// registrationPeriod is the time after which a process registers again.
const registrationPeriod = 30 * time.Minute

// ZKDiscoveryOptions say which job, at which ZooKeeper.
type ZKDiscoveryOptions struct {
	JobName string
	// Servers is the address of ZooKeeper; the open-source build has no default.
	Servers string
	// MaxTries and Delay are those of the retries of a registration, 3 and 5 s in the reference.
	MaxTries int
	Delay    time.Duration
	// ZooKeeper, when set, is used in place of a client of Servers.
	ZooKeeper env.ZooKeeper
	// Quirks is the set of the reference's faults that are kept.
	Quirks quirks.Set
}

// NewZKServiceDiscovery connects, makes the znode of the job, and watches its
// processes. The error is that of the connection or of the first read.
func NewZKServiceDiscovery(e *env.Env, o ZKDiscoveryOptions) (*ZKServiceDiscovery, error) {
	d := &ZKServiceDiscovery{e: e, zk: o.ZooKeeper, quirks: o.Quirks, prefix: "/monolith/" + o.JobName}
	if e.Shared != nil {
		d.names = e.Shared.Names(d.prefix)
	} else {
		d.names = env.NewNames(d.prefix)
	}
	d.retry = recipes.RecipeRetry()
	d.retry.MaxTries, d.retry.Delay, d.retry.Site = o.MaxTries, o.Delay, "service_discovery.retry"
	if d.zk == nil {
		d.zk = e.ZooKeeper.NewClient(o.Servers, env.ZooKeeperOptions{Auth: envutils.ZKAuthData(e.Host)})
	}
	d.zk.AddListener(d.listen)
	if err := d.zk.Start(0); err != nil {
		return nil, err
	}
	if err := d.zk.EnsurePath(d.prefix); err != nil {
		return nil, err
	}
	d.bulk = zkbulk.NewDataWatches(d.zk, d.prefix, func(path string, data []byte, _ *env.Stat, _ *env.WatchEvent) error {
		return d.dataChanged(path[len(d.prefix)+1:], data)
	}, d.usual())
	_, err := zkbulk.NamesWatch(d.zk, d.prefix, d.childrenChanged)
	return d, err
}

// usual returns when dataChanged only notes an address.
func (d *ZKServiceDiscovery) usual() *zkbulk.Usual {
	return &zkbulk.Usual{
		Kind:  "address of a process",
		Data:  func(path string, data []byte) bool { return d.isUsual(path[len(d.prefix)+1:], data) },
		Ready: func() bool { return true },
	}
}

// isUsual reports whether data say the address of a process that has the name of its znode.
func (d *ZKServiceDiscovery) isUsual(node string, data []byte) bool {
	_, err := addrOf(data, d.e.Shared)
	return len(data) > 0 && err == nil && childOf(node).plain
}

// listen wakes all registrations when the session is new after a loss (service_discovery.py:209).
func (d *ZKServiceDiscovery) listen(state env.SessionState) bool {
	switch {
	case state == env.Lost:
		d.lost = true
	case state == env.Connected && d.lost:
		for _, r := range d.threads {
			r.wakeup.Set()
		}
		d.lost = false
	}
	return false
}

func nodeName(name string, index int) string { return name + "." + pysem.Str(index) }

// childrenChanged watches the data of processes that are not known yet, in the order of
// their names; one that is known goes on being watched.
func (d *ZKServiceDiscovery) childrenChanged(children *zkbulk.Names) error {
	for after, done := "", false; !done; {
		done = true
		odd := d.odd
		for list := d.unknown(children, after); len(list) > 0; {
			watched, err := d.watch(list)
			if err != nil {
				return err
			}
			if after = list[watched-1]; d.odd != odd {
				done = false // one that was known may be none now, and the other way round
				break
			}
			list = list[watched:]
		}
	}
	d.settle(children)
	return nil
}

// unknown returns the children behind a name that are no known processes, sorted, each once.
func (d *ZKServiceDiscovery) unknown(children *zkbulk.Names, after string) (list []string) {
	for _, b := range children.Blocks() {
		if d.removals == d.settledAt && slices.Contains(d.settled, b) {
			continue
		}
		for i, child := range childrenOf(b) {
			if name := b.Names[i]; name > after && !d.knows(child) {
				list = append(list, name)
			}
		}
	}
	return sortedSet(list)
}

// settle notes which blocks need not be looked at again.
func (d *ZKServiceDiscovery) settle(children *zkbulk.Names) {
	before := d.settled
	if d.removals != d.settledAt {
		before = nil
	}
	settled := make([]*zkbulk.Block, 0, len(children.Blocks()))
	for _, b := range children.Blocks() {
		if slices.Contains(before, b) || !slices.ContainsFunc(childrenOf(b), func(c child) bool { return !d.knows(c) }) {
			settled = append(settled, b)
		}
	}
	d.settled, d.settledAt = settled, d.removals
}

// watch watches the first children of a list, as long as data are usual, and tells how many. One
// that was watched before gets a second watch, as in the reference, beside the first that goes on.
func (d *ZKServiceDiscovery) watch(children []string) (watched int, err error) {
	fresh := slices.IndexFunc(children, d.isWatched)
	if fresh < 0 {
		fresh = len(children)
	}
	if fresh > 0 {
		odd := d.odd
		watched, err = d.bulk.WatchWhile(children[:fresh], func() bool { return d.odd == odd })
		for _, child := range children[:watched] {
			d.begins(child)
		}
		return watched, err
	}
	child := children[0]
	_, err = d.zk.DataWatch(d.prefix+"/"+child, func(data []byte, _ *env.Stat, _ *env.WatchEvent) error {
		return d.dataChanged(child, data)
	})
	return 1, err
}

// begins notes that a child is watched.
func (d *ZKServiceDiscovery) begins(child string) {
	number := int(d.names.Number(child))
	if more := number/64 + 1 - len(d.watched); more > 0 {
		d.watched = append(d.watched, make([]uint64, more)...)
	}
	d.watched[number/64] |= 1 << (number % 64)
}

func (d *ZKServiceDiscovery) isWatched(child string) bool {
	number := int(d.names.Number(child))
	return number/64 < len(d.watched) && d.watched[number/64]>>(number%64)&1 != 0
}

// namedProcesses are the processes of one name, in the order of a Python dict.
type namedProcesses struct {
	name  string
	addrs Addrs
	// places has the place in addrs by index, plus 1; far those of great indices.
	places []int32
	far    map[int]int
}

// maxPlaces is from where on places are in a map.
const maxPlaces = 1 << 14

func (n *namedProcesses) place(index int) (int, bool) {
	if index < 0 || index >= maxPlaces {
		at, ok := n.far[index]
		return at, ok
	}
	if index >= len(n.places) || n.places[index] == 0 {
		return 0, false
	}
	return int(n.places[index]) - 1, true
}

func (n *namedProcesses) setPlace(index, at int) {
	if index < 0 || index >= maxPlaces {
		if n.far == nil {
			n.far = map[int]int{}
		}
		n.far[index] = at
		return
	}
	if more := index + 1 - len(n.places); more > 0 {
		n.places = append(n.places, make([]int32, more)...)
	}
	n.places[index] = int32(at) + 1
}

// set takes an address down, which is shared with others who have found the same.
func (n *namedProcesses) set(index int, data []byte, shared env.Shared) error {
	at, ok := n.place(index)
	if ok && n.addrs[at].Addr == string(data) {
		return nil
	}
	addr, err := addrOf(data, shared)
	if err != nil {
		return err
	}
	if ok {
		n.addrs[at].Addr = addr
		return nil
	}
	n.setPlace(index, len(n.addrs))
	n.addrs = append(n.addrs, IndexedAddr{Index: index, Addr: addr})
	return nil
}

// addrOf returns the address that a znode holds.
func addrOf(data []byte, shared env.Shared) (string, error) {
	const kind = "address of a process"
	if shared != nil {
		if addr, ok := shared.Lookup(kind, data); ok {
			return addr.(string), nil
		}
	}
	addr, err := pysem.DecodeUTF8(data)
	if err == nil && shared != nil {
		shared.Keep(kind, data, addr)
	}
	return addr, err
}

// remove reports whether there was one.
func (n *namedProcesses) remove(index int) bool {
	if _, ok := n.place(index); !ok {
		return false
	}
	n.addrs = n.addrs.Without(index)
	clear(n.places)
	clear(n.far)
	for i, a := range n.addrs {
		n.setPlace(a.Index, i)
	}
	return true
}

func (d *ZKServiceDiscovery) named(name string) *namedProcesses {
	for _, n := range d.cluster {
		if n.name == name {
			return n
		}
	}
	return nil
}

// child is a process as the name of its znode says it, in the form of nodeName; plain is
// false for one of another form.
type child struct {
	name  string
	index int
	plain bool
}

func childOf(node string) child {
	name, number, ok := strings.Cut(node, ".")
	if !ok {
		return child{}
	}
	index, ok := plainIndex(number)
	return child{name, index, ok}
}

// childrenOf returns the processes of a block of names, which all processes have in common.
func childrenOf(b *zkbulk.Block) []child {
	return b.Once("training.processes", func() any {
		list := make([]child, len(b.Names))
		for i, name := range b.Names {
			list[i] = childOf(name)
		}
		return list
	}).([]child)
}

func (d *ZKServiceDiscovery) knows(c child) bool {
	if !c.plain {
		return false
	}
	n := d.named(c.name)
	if n == nil {
		return false
	}
	_, ok := n.place(c.index)
	return ok
}

// plainIndex reads an index as pysem.Str writes it.
func plainIndex(number string) (int, bool) {
	index, err := strconv.Atoi(number)
	if err != nil || number[0] == '+' || number[0] == '-' && index == 0 || len(number) > 1 && (number[0] == '0' || number[:2] == "-0") {
		return 0, false
	}
	return index, true
}

// dataChanged notes an address; a znode that is gone or empty loses it. A name
// that is not "<type>.<index>" is a ValueError.
func (d *ZKServiceDiscovery) dataChanged(node string, data []byte) error {
	if !d.isUsual(node, data) {
		d.odd++
	}
	name, number, ok := strings.Cut(node, ".")
	if !ok || strings.Contains(number, ".") {
		return pysem.UnpackError(2, 1+strings.Count(node, "."))
	}
	index, ok := plainIndex(number)
	if !ok {
		var err error
		if index, _, err = pysem.ParseSmallInt(number); err != nil {
			return err
		}
	}
	n := d.named(name)
	if len(data) == 0 {
		if n != nil && n.remove(index) {
			d.removals++
		}
		return nil
	}
	if n == nil {
		n = &namedProcesses{name: name}
	}
	if err := n.set(index, data, d.e.Shared); err != nil {
		return err
	}
	if len(n.addrs) == 1 && d.named(name) == nil {
		d.cluster = append(d.cluster, n)
	}
	return nil
}

// Register writes the address of a process, and again every 30 minutes and after each
// lost session, until Deregister or Close.
func (d *ZKServiceDiscovery) Register(name string, index int, addr string) error {
	if err := d.create(name, index, addr); err != nil {
		return err
	}
	r := &registration{name: name, index: index, wakeup: threading.NewEvent(d.e.Tasks, "register "+nodeName(name, index))}
	r.task = d.e.Tasks.Go("register", func() {
		for {
			if r.wakeup.Wait(registrationPeriod) {
				r.wakeup.Clear()
			}
			if r.stop {
				return
			}
			if err := d.create(name, index, addr); err != nil {
				d.e.Log.Logf(env.Warning, "register %s again: %v", nodeName(name, index), err)
			}
		}
	})
	// A second registration takes the first one's place, whose task goes on for ever and writes the
	// old address every 30 minutes (service_discovery.py:354), unless Q290 is repaired.
	if i := d.find(name, index); i >= 0 {
		old := d.threads[i]
		d.threads[i] = r
		if !d.quirks.Keeps(quirks.Q290) {
			old.end()
		}
	} else {
		d.threads = append(d.threads, r)
	}
	return nil
}

func (d *ZKServiceDiscovery) find(name string, index int) int {
	return slices.IndexFunc(d.threads, func(r *registration) bool { return r.name == name && r.index == index })
}

// create creates the znode, or sets it when it exists.
func (d *ZKServiceDiscovery) create(name string, index int, addr string) error {
	if d.zk == nil {
		return pysem.AttributeError(nil, "create")
	}
	path := d.prefix + "/" + nodeName(name, index)
	return d.retry.Run(d.e, func() error {
		_, err := d.zk.Create(path, []byte(addr), env.CreateOptions{MakePath: true, Ephemeral: true})
		if errors.Is(err, zkerrors.ErrNodeExists) {
			err = d.zk.Set(path, []byte(addr), -1)
		}
		return err
	})
}

// Deregister removes the znode of a process. One that was not registered here is a
// KeyError, after the removal.
func (d *ZKServiceDiscovery) Deregister(name string, index int, _ string) error {
	if d.zk == nil {
		return pysem.AttributeError(nil, "delete")
	}
	err := d.retry.Run(d.e, func() error {
		return d.zk.Delete(d.prefix+"/"+nodeName(name, index), env.DeleteOptions{Version: -1, Recursive: true})
	})
	if err != nil && !errors.Is(err, zkerrors.ErrNoNode) {
		return err
	}
	i := d.find(name, index)
	if i < 0 {
		return pysem.Raise("KeyError", "(%s, %d)", pysem.Repr(name), index)
	}
	d.threads[i].end()
	d.threads = slices.Delete(d.threads, i, i+1)
	return nil
}

// end stops the task and waits for it.
func (r *registration) end() {
	r.stop = true
	r.wakeup.Set()
	r.task.Join()
}

// Query lists the processes of a name as the watches have seen them.
func (d *ZKServiceDiscovery) Query(name string) (Addrs, error) {
	if n := d.named(name); n != nil {
		return slices.Clone(n.addrs), nil
	}
	return Addrs{}, nil
}

// Close ends the session, and with it all registrations that were made here.
func (d *ZKServiceDiscovery) Close() {
	if d.zk != nil {
		d.zk.Stop()
		d.zk.Close()
		d.zk = nil
	}
	for _, r := range d.threads {
		r.end()
	}
}

var _ ServiceDiscovery = (*ZKServiceDiscovery)(nil)
