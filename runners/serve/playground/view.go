package playground

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/operator"
	"github.com/monosim/monosim/runners/test/realrun/loopback"
)

// View describes a cluster at one moment, as the page shows it.
type View struct {
	Title string `json:"title"`
	// NowSec is the cluster time since the cluster's start, in seconds.
	NowSec         float64       `json:"now_sec"`
	Speed          float64       `json:"speed"`
	Failure        string        `json:"failure,omitempty"`
	ZooKeeper      string        `json:"zookeeper"`
	ZooKeeperAdmin string        `json:"zookeeper_admin,omitempty"`
	Pods           []PodView     `json:"pods"`
	Sessions       []SessionView `json:"sessions"`
	Services       []ServiceView `json:"services"`
	// Faults holds the faults that are on.
	Faults []FaultView `json:"faults"`
	// Events holds the most recent events, oldest first.
	Events []EventView `json:"events"`
}

// PodView is one pod.
type PodView struct {
	loopback.PodAddress
	Running  bool        `json:"running"`
	ExitCode int         `json:"exit_code"`
	Starts   int         `json:"starts"`
	Models   []ModelView `json:"models"`
}

// ModelView describes a model in a model server, with its versions.
type ModelView struct {
	Kind     string        `json:"kind,omitempty"`
	Model    string        `json:"model"`
	Versions []VersionView `json:"versions"`
}

// VersionView describes a version of a model, with its state and its error, if any.
type VersionView struct {
	Version int64  `json:"version"`
	State   string `json:"state"`
	Error   string `json:"error,omitempty"`
}

// SessionView describes a live ZooKeeper session.
type SessionView struct {
	Session    string   `json:"session"`
	TimeoutMs  int64    `json:"timeout_ms"`
	ExpiresMs  int64    `json:"expires_in_ms"`
	Client     string   `json:"client,omitempty"`
	Ephemerals []string `json:"ephemerals"`
}

// ServiceView is one entry of the service map that an agent returns by HeartBeat.
type ServiceView struct {
	Key   string   `json:"key"`
	Addrs []string `json:"addrs"`
	// Pods names the pods that have the addresses in Addrs.
	Pods []string `json:"pods"`
}

// FaultView is a fault that is on. Of says what the fault hits. EndsInSec is the cluster time until
// it ends by itself, or 0 if it does not.
type FaultView struct {
	Kind      string  `json:"kind"`
	Of        string  `json:"of,omitempty"`
	EndsInSec float64 `json:"ends_in_sec,omitempty"`
}

// EventView is one observation.
type EventView struct {
	AtSec float64 `json:"at_sec"`
	Pod   string  `json:"pod"`
	Op    string  `json:"op"`
	Path  string  `json:"path,omitempty"`
	Note  string  `json:"note,omitempty"`
}

// lastEvents is the largest number of events in a view.
const lastEvents = 200

// look makes a new view of the cluster and wakes the goroutines that wait for it.
func (p *Playground) look() {
	v := p.see()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.view = v
	close(p.news)
	p.news = make(chan struct{})
}

// seen returns the latest view, and a channel that is closed when the next view is made.
func (p *Playground) seen() (View, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.view, p.news
}

func (p *Playground) see() View {
	c := p.cluster
	at := c.Endpoints()
	v := View{
		Title: p.o.Title, NowSec: c.Now().Seconds(), Speed: p.o.Speed, Failure: c.Failure(), ZooKeeper: at.ZooKeeper, ZooKeeperAdmin: at.ZooKeeperAdmin,
		Pods: lists.Map(at.Pods, p.seePod), Sessions: []SessionView{}, Services: []ServiceView{}, Events: []EventView{},
	}
	if at.ZooKeeperAdmin != "" {
		ask(at.ZooKeeperAdmin+"/sessions", &v.Sessions)
	}
	v.Services = p.seeServices()
	v.Faults = lists.Map(p.on(), func(f running) FaultView {
		view := FaultView{Kind: f.fault.Kind, Of: operator.Hit(f.fault)}
		if f.until > 0 {
			view.EndsInSec = (f.until - c.Now()).Seconds()
		}
		return view
	})
	log := c.Log()
	for _, o := range log[max(len(log)-lastEvents, 0):] {
		v.Events = append(v.Events, EventView{AtSec: o.At.Seconds(), Pod: o.Pod, Op: o.Op, Path: o.Path, Note: o.Note})
	}
	return v
}

func (p *Playground) seePod(address loopback.PodAddress) PodView {
	v := PodView{PodAddress: address, Models: []ModelView{}}
	if state, err := p.cluster.PodState(address.Name); err == nil {
		v.Running, v.ExitCode, v.Starts = state.Running, state.ExitCode, state.Starts
	}
	for _, s := range address.ModelServers {
		if s.Admin == "" {
			continue
		}
		var state struct{ Models []ModelView }
		ask(s.Admin+"/state", &state)
		for _, m := range state.Models {
			m.Kind = s.Kind
			v.Models = append(v.Models, m)
		}
	}
	return v
}

// seeServices asks agents for the service map, for the server types ps, entry and dense. The first
// agent that answers is used.
func (p *Playground) seeServices() []ServiceView {
	list := []ServiceView{}
	known := map[string]bool{}
	for _, pod := range p.cluster.Pods() {
		for _, kind := range []string{"ps", "entry", "dense"} {
			answer, err := p.cluster.HeartBeat(pod.Name, kind)
			if err != nil {
				break
			}
			for _, a := range answer {
				if known[a.Key] {
					continue
				}
				known[a.Key] = true
				pods, _ := runners.PodsAt(p.cluster, a.Addrs) // the error names addresses without a pod, which are shown unchanged
				list = append(list, ServiceView{Key: a.Key, Addrs: a.Addrs, Pods: pods})
			}
		}
		if len(known) > 0 {
			break
		}
	}
	return list
}

// client calls the HTTP interfaces of the cluster's processes. They answer at once unless they have
// ended, so the timeout is short.
var client = http.Client{Timeout: 2 * time.Second}

// ask sends a GET request and decodes the JSON answer into the value to which the parameter into
// points. Without an answer, this value is unchanged.
func ask(url string, into any) {
	answer, err := client.Get(url)
	if err != nil {
		return
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusOK {
		json.NewDecoder(answer.Body).Decode(into)
	}
}
