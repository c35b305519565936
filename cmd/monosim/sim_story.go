package main

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
)

// story makes the few lines that matter out of everything that is observed.
type story struct {
	input    *simInput
	steps    map[string]*milestone
	order    []string
	models   map[string]*milestone // AVAILABLE, by "<model>/<version>"
	exits    []moment
	errors   map[string]*milestone
	messages []string
}

// milestone is something that happens to several pods.
type milestone struct {
	first, last time.Duration
	pods        map[string]bool
	times       int
}

// moment is something that happened once.
type moment struct {
	AtSeconds float64 `json:"at_s"`
	Pod       string  `json:"pod"`
	What      string  `json:"what"`
}

func newStory(input *simInput) *story {
	return &story{input: input, steps: map[string]*milestone{}, models: map[string]*milestone{}, errors: map[string]*milestone{}}
}

func reach(of map[string]*milestone, key string, o runners.Observation) (first bool) {
	m, ok := of[key]
	if !ok {
		m = &milestone{first: o.At, pods: map[string]bool{}}
		of[key] = m
	}
	if !m.pods[o.Pod] {
		m.pods[o.Pod], m.last = true, o.At
	}
	m.times++
	return !ok
}

// The steps of a start-up, as the report words them.
const (
	stepAgent      = "agents started"
	stepSession    = "sessions with ZooKeeper"
	stepRegistered = "registered in ZooKeeper"
	stepProcess    = "model servers started"
	stepServing    = "model servers serving"
)

// observe is told of everything that happens.
func (s *story) observe(o runners.Observation) {
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
		if reach(s.models, o.Path, o) {
			s.order = append(s.order, o.Path)
		}
	case o.Op == "modelserver.state" && strings.HasPrefix(o.Note, "END: "):
		s.trouble(o.Path+" "+o.Note, o)
	case o.Op == "process.exit":
		s.exits = append(s.exits, moment{o.At.Seconds(), o.Pod, o.Path + " ended with " + o.Note})
	case strings.HasPrefix(o.Op, "log."):
		s.trouble(o.Note, o)
	}
}

func (s *story) step(name string, o runners.Observation) { reach(s.steps, name, o) }

func (s *story) trouble(text string, o runners.Observation) {
	if reach(s.errors, text, o) {
		s.messages = append(s.messages, text)
	}
}

// simReport is what `monosim sim` prints; its JSON form is for programs.
type simReport struct {
	Conf        string         `json:"conf"`
	Seed        uint64         `json:"seed"`
	Shards      int            `json:"shards"`
	Replicas    int            `json:"replicas"`
	Version     int            `json:"agent_version"`
	ZooKeeper   string         `json:"zookeeper"`
	ModelServer string         `json:"model_server"`
	Quirks      string         `json:"quirks"`
	Startup     []reportStep   `json:"startup"`
	Models      []reportModel  `json:"models"`
	Missing     []string       `json:"never_available"`
	Exits       []moment       `json:"exits"`
	ExitsTotal  int            `json:"exits_total"`
	Errors      []reportError  `json:"errors"`
	ServiceMap  []serviceEntry `json:"service_map"`
	Asked       string         `json:"service_map_of"`
	Counts      reportCounts   `json:"counts"`
	Trace       string         `json:"trace"`
	VirtualSec  float64        `json:"virtual_s"`
	WallSec     float64        `json:"wall_s"`
	Failure     string         `json:"failure,omitempty"`
}

type reportStep struct {
	What  string  `json:"what"`
	First float64 `json:"first_s"`
	Last  float64 `json:"last_s"`
	Pods  int     `json:"pods"`
	Times int     `json:"times"`
}

type reportModel struct {
	Model string  `json:"model"`
	First float64 `json:"first_available_s"`
	Last  float64 `json:"last_available_s"`
	Pods  int     `json:"pods"`
}

type reportError struct {
	Text  string  `json:"text"`
	First float64 `json:"first_s"`
	Pods  int     `json:"pods"`
	Times int     `json:"times"`
}

type serviceEntry struct {
	Key   string   `json:"key"`
	Addrs []string `json:"addresses"`
}

type reportCounts struct {
	Events          uint64            `json:"events"`
	Writes          uint64            `json:"zookeeper_writes"`
	Watches         uint64            `json:"zookeeper_watches_fired"`
	SessionsOpened  uint64            `json:"zookeeper_sessions_opened"`
	SessionsExpired uint64            `json:"zookeeper_sessions_expired"`
	ZooKeeper       map[string]uint64 `json:"zookeeper_requests"`
	RPCs            map[string]uint64 `json:"rpcs"`
	Messages        uint64            `json:"messages"`
}

// maxListed bounds the lists of exits and errors.
const maxListed = 10

// report sums up; it asks a pod for the service map, which takes a little
// cluster time that the counts do not include.
func (s *story) report(cluster runners.Cluster, wall time.Duration, o *simOptions, failure error) *simReport {
	stats := cluster.Stats()
	r := &simReport{
		Conf: o.conf, Seed: o.seed, Shards: s.input.shards, Replicas: o.replicas, Version: s.input.values.version,
		ZooKeeper: o.zooKeeper, ModelServer: o.modelServer, Quirks: o.quirks,
		ExitsTotal: len(s.exits), Exits: s.exits[:min(len(s.exits), maxListed)],
		Counts: reportCounts{
			Events: stats.Events, Writes: stats.ZooKeeperWrites, Watches: stats.WatchesFired,
			SessionsOpened: stats.SessionsOpened, SessionsExpired: stats.SessionsExpired,
			ZooKeeper: named(stats.ZooKeeper), RPCs: named(stats.RPCs), Messages: stats.MessagesOnWire,
		},
		Trace: fmt.Sprintf("%016x", stats.TraceHash), VirtualSec: stats.Virtual.Seconds(), WallSec: wall.Seconds(),
	}
	for _, step := range []string{stepAgent, stepSession, stepRegistered, stepProcess, stepServing} {
		if m, ok := s.steps[step]; ok {
			r.Startup = append(r.Startup, reportStep{step, m.first.Seconds(), m.last.Seconds(), len(m.pods), m.times})
		}
	}
	sort.SliceStable(r.Startup, func(i, j int) bool { return r.Startup[i].First < r.Startup[j].First })
	for _, name := range s.order {
		m := s.models[name]
		r.Models = append(r.Models, reportModel{name, m.first.Seconds(), m.last.Seconds(), len(m.pods)})
	}
	r.Missing = s.missing()
	for _, text := range s.messages[:min(len(s.messages), maxListed)] {
		m := s.errors[text]
		r.Errors = append(r.Errors, reportError{text, m.first.Seconds(), len(m.pods), m.times})
	}
	if failure != nil {
		r.Failure = failure.Error()
		return r
	}
	r.ServiceMap, r.Asked = serviceMap(cluster)
	return r
}

// missing names the exported graphs of which no version was ever AVAILABLE.
func (s *story) missing() []string {
	var names []string
	for _, m := range s.input.models {
		for _, g := range m.SubGraphs {
			name := g.Name
			if s.input.publishes() {
				name = m.Name + ":" + g.Name
			}
			served := false
			for _, key := range s.order {
				served = served || strings.HasPrefix(key, name+"/")
			}
			if !served {
				names = append(names, name)
			}
		}
	}
	return names
}

func named(counts []runners.Count) map[string]uint64 {
	m := make(map[string]uint64, len(counts))
	for _, c := range counts {
		m[c.Name] = c.N
	}
	return m
}

// serviceMap asks the first pod that runs for all that it knows.
func serviceMap(cluster runners.Cluster) (entries []serviceEntry, asked string) {
	for _, p := range cluster.Pods() {
		state, err := cluster.PodState(p.Name)
		if err != nil || !state.Running {
			continue
		}
		seen := map[string]bool{}
		for _, kind := range []string{"ps", "entry", "dense"} {
			list, err := cluster.HeartBeat(p.Name, kind)
			if err != nil {
				continue
			}
			for _, a := range list {
				if !seen[a.Key] {
					seen[a.Key] = true
					entries = append(entries, serviceEntry{a.Key, a.Addrs})
				}
			}
		}
		sort.SliceStable(entries, func(i, j int) bool { return entries[i].Key < entries[j].Key })
		return entries, p.Name
	}
	return nil, ""
}
