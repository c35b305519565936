package loopback

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/realrun/wiretap"
	"github.com/monosim/monosim/sim/zookeeper"
)

// journal collects the observations of a cluster. They come from this program and from files
// that the cluster's processes write.
type journal struct {
	c    *Cluster
	stop chan struct{}
	done chan struct{}

	mu   sync.Mutex
	list []runners.Observation
	// reads has the pods whose reads of ZooKeeper are observed.
	reads map[string]bool
	// tails holds the files that are followed, by name.
	tails map[string]*tail
	// seen says which events of each model server were recorded. Its keys are modelServer.name.
	seen   map[string]*seenServer
	counts runners.Counts
	// deeds counts the actions of the training job's processes, by kind.
	deeds map[trainingDeed]int
}

// seenServer says which events of a model server were recorded already.
type seenServer struct{ serving, ended bool }

func newJournal(c *Cluster) *journal {
	reads := map[string]bool{}
	for _, p := range c.spec.Pods() {
		reads[p.Name] = c.spec.Reads
	}
	return &journal{
		reads: reads,
		c:     c, stop: make(chan struct{}), tails: map[string]*tail{},
		seen: map[string]*seenServer{}, deeds: map[trainingDeed]int{},
		counts: runners.Counts{RPCs: map[string]uint64{}, ZooKeeperRequests: map[string]uint64{}},
	}
}

// lookEvery is the wall time between two reads of the followed files.
const lookEvery = 50 * time.Millisecond

// watch starts to follow the files that processes append to.
func (j *journal) watch() {
	j.done = make(chan struct{})
	go func() {
		defer close(j.done)
		again := time.NewTicker(lookEvery)
		defer again.Stop()
		for {
			j.look()
			select {
			case <-j.stop:
				return
			case <-again.C:
			}
		}
	}()
}

// close stops the goroutine of watch, and closes the files that it read.
func (j *journal) close() {
	close(j.stop)
	if j.done != nil {
		<-j.done
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, t := range j.tails {
		t.file.Close()
	}
}

// add records an observation. An observation without a time gets the current time.
func (j *journal) add(o runners.Observation) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.note(o)
}

func (j *journal) note(o runners.Observation) {
	if o.At == 0 {
		o.At = j.c.Now()
	}
	if !j.c.spec.Detail {
		o.Data, o.ID, o.Peer, o.Took = "", 0, "", 0
	}
	j.list = append(j.list, o)
}

// log returns the observations so far, sorted by time.
func (j *journal) log() []runners.Observation {
	j.look()
	j.mu.Lock()
	defer j.mu.Unlock()
	slices.SortStableFunc(j.list, func(a, b runners.Observation) int { return cmp.Compare(a.At, b.At) })
	return slices.Clip(j.list)
}

// started records the start of a pod's first process. ended records its end.
func (j *journal) started(p *pod, pid int) {
	if p.bare == nil { // a model server is observed by its own files
		j.add(runners.Observation{Pod: p.Name, Op: "process.start", Path: runners.AgentProcess, Note: "--conf=" + agentConf, ID: int64(pid)})
	}
}

func (j *journal) ended(p *pod, pid, code int) {
	name := runners.AgentProcess
	if p.bare != nil {
		name = runners.ModelServerProcess
	}
	j.add(runners.Observation{Pod: p.Name, Op: "process.exit", Path: name, Note: fmt.Sprintf("code %d", code), ID: int64(pid)})
}

// agentConf is the path of agent.conf inside a container.
const agentConf = "/opt/tiger/monolith_serving/conf/agent.conf"

// look reads what processes have appended to their files since the previous call.
func (j *journal) look() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, p := range j.c.pods {
		for _, s := range p.allModelServers() {
			j.lookAt(p, s)
		}
	}
	for _, t := range j.c.trainers {
		j.follow(t.eventsFile(), func(line []byte) { j.trained(t, line) })
	}
}

// lookAt records new events of a model server.
func (j *journal) lookAt(p *pod, s modelServer) {
	seen := j.seen[s.name]
	if seen == nil {
		seen = &seenServer{}
		j.seen[s.name] = seen
		args := string(j.c.disks.plain(p.Name, []byte(strings.Join(s.args, " "))))
		j.note(runners.Observation{At: j.c.at(s.startedAt), Pod: p.Name, Op: "process.start", Path: runners.ModelServerProcess, Note: args, ID: int64(s.pid)})
	}
	if !s.serving.IsZero() && !seen.serving {
		seen.serving = true
		j.note(runners.Observation{At: j.c.at(s.serving), Pod: p.Name, Op: "modelserver.serving", Path: s.kind, Note: fmt.Sprintf("port %d", s.port), ID: int64(s.pid)})
	}
	j.follow(s.name+".events", func(line []byte) { j.changed(p, s.pid, line) })
	if !seen.ended && p.bare == nil && !s.runs() && time.Since(s.startedAt) > time.Second {
		seen.ended = true
		j.note(runners.Observation{Pod: p.Name, Op: "process.exit", Path: runners.ModelServerProcess, ID: int64(s.pid)})
	}
}

// changed records the new state of a model version, from a line of a model server's events.
func (j *journal) changed(p *pod, pid int, line []byte) {
	var e struct {
		Time    time.Time
		Model   string
		Version int64
		State   string
		Code    string
		Message string
	}
	if json.Unmarshal(line, &e) != nil {
		return
	}
	note := e.State
	if e.Code != "" {
		note += ": " + e.Code + ": " + string(j.c.disks.plain(p.Name, []byte(e.Message)))
	}
	j.note(runners.Observation{
		At: j.c.told(e.Time), Pod: p.Name, Op: "modelserver.state", Path: fmt.Sprintf("%s/%d", e.Model, e.Version), Note: note, ID: int64(pid),
	})
}

// acted records an operation of ZooKeeper.
func (j *journal) acted(a wiretap.Act) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.counts.ZooKeeperRequests[a.Op.String()]++
	if wiretap.Read(a.Op) {
		if j.reads[a.Client] && a.Op.Reads() {
			j.note(runners.Observation{Pod: a.Client, Op: "read", Path: a.Path, Note: a.Op.String(), ID: a.Session})
		}
		return
	}
	j.counts.ZooKeeperWrites++
	note := ""
	switch {
	case a.Err != zookeeper.CodeOK:
		note = zookeeper.CodeName(a.Err)
	case a.Op == zookeeper.OpCreateSession:
		j.counts.SessionsOpened++
	}
	switch {
	case note != "":
	case a.Of == zookeeper.OpCloseSession && a.Op == zookeeper.OpDelete:
		note = "with its session"
	case a.Ephemeral:
		note = "ephemeral"
	}
	j.note(runners.Observation{
		Pod: a.Client, Op: a.Op.LogName(), Path: a.Path, Note: note, Data: string(j.c.disks.plain("", a.Data)), ID: a.Session,
	})
}

// tail is a file to which another process appends lines.
type tail struct {
	file *os.File
	rest []byte // last line, as long as it is incomplete
}

// follow calls the function take with each line added to a file since the previous call of follow.
// A missing file has no lines.
func (j *journal) follow(name string, take func(line []byte)) {
	t := j.tails[name]
	if t == nil {
		file, err := j.c.disks.files.Open(j.c.disks.below(name))
		if err != nil {
			return
		}
		t = &tail{file: file}
		j.tails[name] = t
	}
	text, err := io.ReadAll(bufio.NewReader(t.file))
	if err != nil || len(text) == 0 {
		return
	}
	text = append(t.rest, text...)
	last := bytes.LastIndexByte(text, '\n') + 1
	t.rest = slices.Clone(text[last:])
	for line := range bytes.Lines(text[:last]) {
		take(line)
	}
}

// stats returns the counts so far.
func (j *journal) stats() runners.Stats {
	j.mu.Lock()
	defer j.mu.Unlock()
	counts := j.counts
	counts.RPCs, counts.ZooKeeperRequests = maps.Clone(counts.RPCs), maps.Clone(counts.ZooKeeperRequests)
	return runners.Stats{Virtual: j.c.Now(), Counts: counts}
}
