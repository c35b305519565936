package sim

import (
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
)

// story picks the few events that matter out of all observations.
type story struct {
	cluster  *Cluster
	steps    map[string]*milestone
	order    []string
	models   map[string]*milestone // AVAILABLE, by "<model>/<version>"
	exits    []Moment
	errors   map[string]*milestone
	messages []string
	// hosts maps a model's name to the pods that ever had a version of it. exported maps a
	// version's path to the time of its export. published maps a model to the time of its
	// publishing.
	hosts               map[string]*podSet
	exported, published map[string]time.Duration
	done                []Done // actions so far; the last one may not have ended
	faults              map[string]*lasting
	numbers             podNumbers
	memory              memories
	bars                []Bar
	open                map[int][]openBar // bars that have not ended, by number of the pod
}

// milestone records how often an event happened, on which pods, and its first and last time.
type milestone struct {
	first, last time.Duration
	pods        podSet
	times       int
}

// Moment is a single event on a pod.
type Moment struct {
	AtSeconds float64 `json:"at_s"`
	Pod       string  `json:"pod"`
	What      string  `json:"what"`
}

func newStory(c *Cluster) *story {
	return &story{
		cluster: c, steps: map[string]*milestone{}, models: map[string]*milestone{}, errors: map[string]*milestone{},
		hosts: map[string]*podSet{}, exported: map[string]time.Duration{}, published: map[string]time.Duration{},
		faults: map[string]*lasting{}, memory: memories{pods: map[string][]*ServerMemory{}}, open: map[int][]openBar{},
	}
}

func (s *story) reach(of map[string]*milestone, key string, o runners.Observation) (first bool) {
	m, ok := of[key]
	if !ok {
		m = &milestone{first: o.At}
		of[key] = m
	}
	if m.pods.add(s.numbers.of(o.Pod)) {
		m.last = o.At
	}
	m.times++
	return !ok
}

// The stages of a start-up, by their names in the report.
const (
	stepAgent      = "agents started"
	stepSession    = "sessions with ZooKeeper"
	stepRegistered = "registered in ZooKeeper"
	stepProcess    = "model servers started"
	stepServing    = "model servers serving"
)

// observe receives every observation of the run and marks pods whose state must be read again.
func (r *run) observe(o runners.Observation) {
	r.story.observe(o)
	switch o.Op {
	case "modelserver.state":
		key, _, _ := strings.Cut(o.Path, "/")
		hosts := r.story.hosts[key]
		if hosts == nil {
			hosts = &podSet{}
			r.story.hosts[key] = hosts
		}
		hosts.add(r.story.numbers.of(o.Pod))
		r.samples.fresh.remove(r.story.numbers.of(o.Pod))
		r.story.memory.look(o.At, o.Pod, r.PodLoad(o.Pod))
	case "process.exit", "process.start":
		r.samples.fresh.remove(r.story.numbers.of(o.Pod))
		r.story.memory.look(o.At, o.Pod, r.PodLoad(o.Pod))
	}
}

func (s *story) observe(o runners.Observation) {
	s.draw(o)
	switch {
	case o.Op == "process.start" && strings.Contains(o.Path, "agent"):
		s.step(stepAgent, o)
	case o.Op == "process.start":
		s.step(stepProcess, o)
	case o.Op == "zookeeper.createSession" && strings.HasPrefix(o.Pod, "shard"):
		s.step(stepSession, o)
	case o.Op == "zookeeper.create" && o.Note == "ephemeral" && !strings.Contains(o.Path, "/binding/"):
		s.step(stepRegistered, o)
	case o.Op == "modelserver.serving":
		s.step(stepServing, o)
	case o.Op == "modelserver.state" && o.Note == "AVAILABLE":
		if s.reach(s.models, o.Path, o) {
			s.order = append(s.order, o.Path)
		}
	case o.Op == "modelserver.state" && strings.HasPrefix(o.Note, "END: "):
		s.trouble(o.Path+" "+o.Note, o)
	case o.Op == "process.exit":
		s.exits = append(s.exits, Moment{o.At.Seconds(), o.Pod, o.Path + " ended with " + o.Note})
	case strings.HasPrefix(o.Op, "log.") && o.Op != "log.info" && o.Op != "log.warning":
		s.trouble(o.Note, o)
	}
}

func (s *story) step(name string, o runners.Observation) { s.reach(s.steps, name, o) }

func (s *story) trouble(text string, o runners.Observation) {
	if s.reach(s.errors, text, o) {
		s.messages = append(s.messages, text)
	}
}
