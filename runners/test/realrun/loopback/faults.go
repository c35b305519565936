package loopback

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/operator"
	"github.com/monosim/monosim/sim/fault"
)

// kind holds the functions that begin and end a fault of a cluster of processes.
type kind struct {
	begin, end func(c *Cluster, f runners.Fault) error
	// because says why processes cannot have this fault. It is "" if they can.
	because string
}

// kinds maps the name of each kind of fault of sim/fault to the functions with which processes
// realize it.
var kinds = map[string]kind{
	"agent.killed":       {begin: func(c *Cluster, f runners.Fault) error { return c.signalAgent(f.Pod, syscall.SIGKILL) }},
	"agent.stopped":      {begin: func(c *Cluster, f runners.Fault) error { return c.signalAgent(f.Pod, syscall.SIGTERM) }},
	"modelserver.killed": {begin: (*Cluster).killModelServer},

	"network.partition":         {begin: ways(true, toServer, toPod), end: ways(false, toServer, toPod)},
	"network.one-way-partition": {begin: oneWay(true), end: oneWay(false)},
	"network.slow": {
		begin: func(c *Cluster, f runners.Fault) error { return c.slow(f, f.Duration) },
		end:   func(c *Cluster, f runners.Fault) error { return c.slow(f, 0) },
	},

	"store.absent":                    {begin: onBase((*disks).takeAway), end: onBase((*disks).putBack)},
	"store.empty":                     {begin: onBase((*disks).emptyStore), end: onBase((*disks).putBack)},
	"store.unreadable":                {begin: onBase((*disks).closeStore), end: onBase((*disks).putBack)},
	"store.version-without-graph":     {begin: onVersion((*disks).exportWithoutGraph), end: onVersion((*disks).addGraph)},
	"store.version-without-variables": {begin: onVersion((*disks).exportWithoutVariables), end: onVersion((*disks).addVariables)},
	"version.broken":                  {begin: moveGraph("", broken), end: moveGraph(broken, "")},

	"zookeeper.down": {
		begin: func(c *Cluster, _ runners.Fault) error { return c.zooKeeperDown(true) },
		end:   func(c *Cluster, _ runners.Fault) error { return c.zooKeeperDown(false) },
	},
	"zookeeper.expired-session": {begin: (*Cluster).expireSession},
	"zookeeper.no-leader":       {begin: (*Cluster).loseLeader, end: (*Cluster).electLeader},
	"zookeeper.unanswered": {begin: func(c *Cluster, f runners.Fault) error {
		p, err := c.findPod(f.Pod)
		if err == nil {
			p.relay.loseAnswers(int(f.N))
		}
		return err
	}},
	readOnly:   {begin: (*Cluster).loseQuorum, end: (*Cluster).electLeader},
	staleReads: {begin: (*Cluster).placePod, end: (*Cluster).unplacePod},
}

// faultOf finds the kind of a fault.
func faultOf(f runners.Fault) (kind, bool) {
	for _, list := range []map[string]kind{kinds, trainerKinds, consulKinds} {
		if made, ok := list[f.Kind]; ok {
			return made, true
		}
	}
	return kind{}, false
}

// Faults lists the kinds of faults that this cluster supports.
func (c *Cluster) Faults() (list []runners.FaultKind) {
	_, alone := c.ensemble()
	for _, k := range fault.Kinds() {
		made, ok := faultOf(runners.Fault{Kind: k.Name})
		switch {
		case !ok || made.begin == nil:
		case k.Topic() == "consul" && c.consul == nil, k.Topic() == "trainer" && len(c.trainers) == 0:
		case (k.Name == readOnly || k.Name == staleReads) && alone != nil:
		case (k.Topic() == "store" || k.Topic() == "version") && len(c.spec.Models) == 0:
		default:
			list = append(list, k.FaultKind)
		}
	}
	return list
}

// Ends reports whether a fault of this kind lasts until EndFault ends it.
func (c *Cluster) Ends(kind string) bool {
	made, _ := faultOf(runners.Fault{Kind: kind})
	return made.end != nil
}

// BeginFault begins a fault.
func (c *Cluster) BeginFault(f runners.Fault) error {
	k, err := fault.Find(f.Kind)
	if err != nil {
		return err
	}
	op := "fault.begin"
	if k.End == nil {
		op = "fault.happen"
	}
	c.remark("operator", op, f.Kind, operator.Hit(f))
	made, ok := faultOf(f)
	if !ok || made.begin == nil {
		return fmt.Errorf("fault %s: %s: %w", f.Kind, made.because, runners.ErrUnsupported)
	}
	return made.begin(c, f)
}

// EndFault ends a fault now and cancels the end that EndFaultAfter scheduled.
func (c *Cluster) EndFault(f runners.Fault) error {
	c.endings.Forget(f)
	c.remark("operator", "fault.end", f.Kind, operator.Hit(f))
	made, ok := faultOf(f)
	if !ok || made.end == nil {
		return fmt.Errorf("fault %s: found no end, want none to be asked for", f.Kind)
	}
	return made.end(c, f)
}

// EndFaultAfter makes a fault end by itself after d.
func (c *Cluster) EndFaultAfter(f runners.Fault, d time.Duration) error {
	c.endings.Add(f, c.Now()+d)
	return nil
}

func (c *Cluster) signalAgent(pod string, sig syscall.Signal) error {
	p, err := c.findPod(pod)
	if err != nil {
		return err
	}
	agent := p.leader()
	if agent == nil || p.bare != nil {
		return fmt.Errorf("pod %s: found no running agent to send %v", pod, sig)
	}
	if err := send(agent.pid(), sig); err != nil || sig != syscall.SIGKILL {
		return err
	}
	return p.settle(func() bool { return p.leader() != agent })
}

// settle waits until shows returns true. When a process is killed, its end becomes visible only a
// moment later.
func (p *pod) settle(shows func() bool) error { return settled("pod "+p.Name, shows) }

// settled waits until shows returns true; name is for the error.
func settled(name string, shows func() bool) error {
	for end := time.Now().Add(readyLimit); !shows(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("%s: a process that was killed has not ended after %v", name, readyLimit)
		}
	}
	return nil
}

func (c *Cluster) killModelServer(f runners.Fault) error {
	p, s, err := c.modelServer(f.Pod, f.Server)
	if err != nil {
		return err
	}
	if err := send(s.pid, syscall.SIGKILL); err != nil {
		return err
	}
	return p.settle(func() bool { return !s.runs() })
}

// zooKeeperHost is how scenarios name ZooKeeper as a place.
const zooKeeperHost = "zookeeper"

// podsAt returns the pods at the given places. zk says whether the places include ZooKeeper.
func (c *Cluster) podsAt(places []string) (pods []*pod, zk bool, err error) {
	for _, place := range places {
		idc, isIDC := strings.CutPrefix(place, "idc:")
		switch {
		case place == zooKeeperHost:
			zk = true
		case isIDC:
			found := len(pods)
			for _, p := range c.pods {
				if p.bare == nil && p.Location.IDC == idc {
					pods = append(pods, p)
				}
			}
			if len(pods) == found {
				return nil, false, fmt.Errorf("place: found %q, want the idc of a pod", place)
			}
		default:
			p, err := c.findPod(place)
			if err != nil {
				return nil, false, err
			}
			pods = append(pods, p)
		}
	}
	return pods, zk, nil
}

// between returns the pods whose relays a network fault affects. outward says that the fault is in
// the direction from the pods to ZooKeeper. Only connections to ZooKeeper pass through relays, so
// faults of any other connections are unsupported.
func (c *Cluster) between(f runners.Fault) (pods []*pod, outward bool, err error) {
	from, fromZK, err := c.podsAt(f.From)
	if err != nil {
		return nil, false, err
	}
	to, toZK, err := c.podsAt(f.To)
	if err != nil {
		return nil, false, err
	}
	switch {
	case len(from) > 0 && !fromZK && toZK && len(to) == 0:
		return from, true, nil
	case len(to) > 0 && !toZK && fromZK && len(from) == 0:
		return to, false, nil
	}
	return nil, false, fmt.Errorf("a network between pods is that of the loopback, which is always whole: %w", runners.ErrUnsupported)
}

func ways(held bool, ways ...int) func(c *Cluster, f runners.Fault) error {
	return func(c *Cluster, f runners.Fault) error {
		pods, _, err := c.between(f)
		for _, p := range pods {
			p.relay.hold(held, ways...)
		}
		return err
	}
}

func oneWay(held bool) func(c *Cluster, f runners.Fault) error {
	return func(c *Cluster, f runners.Fault) error {
		pods, outward, err := c.between(f)
		way := toPod
		if outward {
			way = toServer
		}
		for _, p := range pods {
			p.relay.hold(held, way)
		}
		return err
	}
}

func (c *Cluster) slow(f runners.Fault, extra time.Duration) error {
	pods, _, err := c.between(f)
	for _, p := range pods {
		p.relay.slow(c.wall(extra))
	}
	return err
}

// expireSession makes the server end all sessions of a pod.
func (c *Cluster) expireSession(f runners.Fault) error {
	p, err := c.findPod(f.Pod)
	if err != nil {
		return err
	}
	return c.endSessions("pod "+f.Pod, p.relay)
}

func (c *Cluster) stopZooKeeper() error {
	c.expiries.disconnect()
	return c.zk.stop()
}

func (c *Cluster) startZooKeeper() error {
	if err := c.zk.start(); err != nil {
		return err
	}
	c.expiries.connect()
	return nil
}

// loseLeader closes all connections and refuses new ones. Sessions do not expire meanwhile, because
// the server is stopped. When the server runs again, it gives all sessions their full timeouts.
func (c *Cluster) loseLeader(runners.Fault) error {
	for _, p := range c.pods {
		p.relay.refuse(true)
	}
	return c.stopZooKeeper()
}

func (c *Cluster) electLeader(runners.Fault) error {
	if err := c.startZooKeeper(); err != nil {
		return err
	}
	for _, p := range c.pods {
		p.relay.refuse(false)
	}
	return nil
}

// onBase returns a fault function that calls do with the fault's base path, as a name below
// the cluster's directory.
func onBase(do func(d *disks, dir string) error) func(c *Cluster, f runners.Fault) error {
	return func(c *Cluster, f runners.Fault) error {
		dir, err := c.disks.modelName(f.BasePath)
		if err == nil {
			err = do(&c.disks, dir)
		}
		return reason("base path "+f.BasePath, err)
	}
}

// hidden returns the name under which a fault keeps a file that it has taken away. why marks
// the kind of fault, and the file stays in its directory.
func hidden(name, why string) string {
	return filepath.Join(filepath.Dir(name), why+"-"+filepath.Base(name))
}

// aside marks a base path that a fault has taken away.
const aside = ".aside"

// takeAway hides a base path by renaming it.
func (d *disks) takeAway(dir string) error { return d.files.Rename(dir, hidden(dir, aside)) }

func (d *disks) emptyStore(dir string) error {
	if err := d.takeAway(dir); err != nil {
		return err
	}
	return d.files.Mkdir(dir, 0o755)
}

// closeStore makes a base path unreadable for every user, by putting a link to itself in its
// place.
func (d *disks) closeStore(dir string) error {
	if err := d.takeAway(dir); err != nil {
		return err
	}
	return d.files.Symlink(filepath.Base(dir), dir)
}

// putBack restores a hidden base path and adds the versions that were exported meanwhile.
func (d *disks) putBack(dir string) error {
	kept := hidden(dir, aside)
	if _, err := d.files.Lstat(kept); err != nil {
		return err
	}
	info, err := d.files.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return d.files.Rename(kept, dir)
	}
	if err == nil && info.IsDir() {
		err = d.moveInto(kept, dir)
	}
	if err == nil {
		err = d.files.Remove(dir)
	}
	if err != nil {
		return err
	}
	return d.files.Rename(kept, dir)
}

// moveInto moves all entries of directory from into directory to. They replace entries of
// equal names.
func (d *disks) moveInto(to, from string) error {
	added, err := fs.ReadDir(d.files.FS(), filepath.ToSlash(from))
	if err != nil {
		return err
	}
	for _, entry := range added {
		if err := d.files.RemoveAll(filepath.Join(to, entry.Name())); err != nil {
			return err
		}
		if err := d.files.Rename(filepath.Join(from, entry.Name()), filepath.Join(to, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

// onVersion returns a fault function that calls do with the directory of the fault's version.
func onVersion(do func(d *disks, dir string, f runners.Fault) error) func(c *Cluster, f runners.Fault) error {
	return func(c *Cluster, f runners.Fault) error {
		base, err := c.disks.modelName(f.BasePath)
		if err == nil {
			err = do(&c.disks, filepath.Join(base, strconv.FormatInt(f.N, 10)), f)
		}
		return reason(fmt.Sprintf("version %d of %s", f.N, f.BasePath), err)
	}
}

func (d *disks) exportWithoutGraph(dir string, f runners.Fault) error {
	if err := d.wantNew(dir); err != nil {
		return err
	}
	return d.addSized(filepath.Join(dir, variablesDir, variablesFile), f.SizeBytes)
}

func (d *disks) addGraph(dir string, _ runners.Fault) error {
	name := filepath.Join(dir, graphFile)
	if err := d.wantMissing(name); err != nil {
		return err
	}
	return d.write(name, needsVariables, 0o644)
}

// needsVariables is the content of a graph file whose model cannot load without its variables.
var needsVariables = []byte(`{"variables": ["w"]}`)

// absent marks a version's variables that a fault has yet to deliver.
const absent = ".variables"

func (d *disks) exportWithoutVariables(dir string, f runners.Fault) error {
	if err := d.wantNew(dir); err != nil {
		return err
	}
	if err := d.addSized(hidden(dir, absent), f.SizeBytes); err != nil {
		return err
	}
	return d.write(filepath.Join(dir, graphFile), needsVariables, 0o644)
}

func (d *disks) addVariables(dir string, _ runners.Fault) error {
	name := filepath.Join(dir, variablesDir, variablesFile)
	if err := d.wantMissing(name); err != nil {
		return err
	}
	if err := d.files.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return d.files.Rename(hidden(dir, absent), name)
}

// wantNew returns an error if the version already exists. The fault has to export the version
// itself, so that it can leave out a part.
func (d *disks) wantNew(dir string) error {
	if _, err := d.files.Lstat(dir); err == nil {
		return errors.New("found it there, want a version to come")
	}
	return nil
}

// wantMissing returns an error if the file part exists, since then nothing of the version is
// missing.
func (d *disks) wantMissing(part string) error {
	if _, err := d.files.Stat(part); err == nil {
		return errors.New("found no part that is missing")
	}
	return nil
}

// broken is the suffix by which a fault renames a graph file, so that servers do not find it.
const broken = ".broken"

func moveGraph(from, to string) func(c *Cluster, f runners.Fault) error {
	return onVersion(func(d *disks, dir string, _ runners.Fault) error {
		graph := filepath.Join(dir, graphFile)
		return d.files.Rename(graph+from, graph+to)
	})
}

// restore ends all file faults of a cluster that is over. It finds them by the marks in the
// names of hidden files, which stay even if the program was killed.
func (d *disks) restore() error {
	var taken []string
	var err error
	_ = fs.WalkDir(d.files.FS(), modelsDir, func(name string, _ fs.DirEntry, wrong error) error {
		taken, err = append(taken, name), errors.Join(err, wrong)
		return nil // an unreadable entry does not keep the others from being restored
	})
	for _, name := range slices.Backward(taken) { // the contents of a directory come before the directory
		dir, base := filepath.Split(filepath.FromSlash(name))
		if original, ok := strings.CutPrefix(base, aside+"-"); ok {
			err = errors.Join(err, d.putBack(dir+original))
		} else if version, ok := strings.CutPrefix(base, absent+"-"); ok {
			err = errors.Join(err, d.addVariables(dir+version, runners.Fault{}))
		} else if base == graphFile+broken {
			err = errors.Join(err, d.files.Rename(dir+base, dir+graphFile))
		}
	}
	return err
}
