package freshness

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
)

// Parameters says how old the parameters of one sub-graph are in one pod.
type Parameters struct {
	Pod   string `json:"pod"`
	Model string `json:"model"`
	// Pushes counts the pushes that the pod took, and Failed those that it did not.
	Pushes int `json:"pushes"`
	Failed int `json:"failed"`
	// MeanSeconds and WorstSeconds are the mean and the highest age while a version was served.
	// ServedSeconds is how long that was in all. EndSeconds is the age now, -1 while no version is
	// served.
	MeanSeconds   float64 `json:"mean_s"`
	WorstSeconds  float64 `json:"worst_s"`
	EndSeconds    float64 `json:"end_s"`
	ServedSeconds float64 `json:"served_s"`
	// MissingSteps counts the steps whose updates the PS has taken off its list, but which have
	// reached the pod neither by a push nor with a version. MostMissingSteps is the highest value
	// that MissingSteps has had.
	MissingSteps     int64 `json:"missing_steps"`
	MostMissingSteps int64 `json:"most_missing_steps"`
}

// place is a sub-graph in a pod.
type place struct{ pod, model string }

// parameters is the state of a place.
type parameters struct {
	place
	ps int
	// version is the newest version that is AVAILABLE, 0 for none. asOf is the time at which the
	// training had the parameters that the place has now. since is the time up to which ages were
	// summed up.
	version, missing int64
	asOf, since      time.Duration
	// took says whether the latest push arrived.
	took bool

	pushes, failed int
	most           int64
	worst, served  time.Duration
	sum            float64 // integral of the age over time, in square seconds
}

// round is one round of pushes of a PS. steps counts the steps whose updates the round took off the
// PS's list.
type round struct {
	at    time.Duration
	steps int64
}

// Meter measures how old the parameters and the exported versions are that the pods of a run serve.
// Make it with [New].
type Meter struct {
	podAt  func(addr string) string
	rounds map[int][]round
	// places maps each place to its state. ofPS lists, by the index of a PS, the states of the
	// places with its parameters, in the order in which they were first seen.
	places map[place]*parameters
	ofPS   map[int][]*parameters
	versions
}

// New makes a meter. podAt returns the name of the pod at an address.
func New(podAt func(addr string) string) *Meter {
	return &Meter{podAt: podAt, rounds: map[int][]round{}, places: map[place]*parameters{}, ofPS: map[int][]*parameters{}, versions: newVersions()}
}

// Observe updates the measurements with an observation of the run.
func (m *Meter) Observe(o runners.Observation) {
	switch o.Op {
	case "training.sync-round":
		m.round(o)
	case "training.pushed", "training.push-failed":
		m.pushed(o)
	case "training.saved", "training.exported":
		m.exported(o)
	case "modelserver.state":
		m.state(o)
	case "process.exit":
		if o.Path == runners.ModelServerProcess {
			m.ended(o)
		}
	case "zookeeper.create", "zookeeper.delete":
		m.bound(o)
	}
}

// psOf returns the index of the PS whose parameters a model has, such as 0 for ctr:ps_0. ok is
// false for the other sub-graphs.
func psOf(model string) (index int, ok bool) {
	number, ok := strings.CutPrefix(graphOf(model), "ps_")
	index, err := strconv.Atoi(number)
	return index, ok && err == nil
}

// at returns the state of a place, a new one if it was not met before. It returns nil for a model
// without parameters of a PS.
func (m *Meter) at(p place) *parameters {
	ps, ok := psOf(p.model)
	if !ok {
		return nil
	}
	s := m.places[p]
	if s == nil {
		s = &parameters{place: p, ps: ps}
		m.places[p], m.ofPS[ps] = s, append(m.ofPS[ps], s)
	}
	return s
}

// stepsOf returns the number at the start of a note, such as 20 for "20 steps to ctr:ps_0".
func stepsOf(note string) int64 {
	number, _, _ := strings.Cut(note, " ")
	n, _ := strconv.ParseInt(number, 10, 64)
	return n
}

func (m *Meter) round(o runners.Observation) {
	ps, _ := strconv.Atoi(strings.TrimPrefix(o.Pod, "ps"))
	r := round{o.At, stepsOf(o.Note)}
	m.rounds[ps] = append(m.rounds[ps], r)
	for _, s := range m.ofPS[ps] {
		switch {
		case s.version == 0:
		case r.steps > 0:
			s.most = max(s.most, s.missing)
			s.missing += r.steps
		case s.took: // without new steps, the server already has everything
			s.count(o.At)
			s.asOf = o.At
		}
	}
}

// pushed handles the end of a push. The push belongs to the latest round of the PS, because a PS
// makes one round at a time.
func (m *Meter) pushed(o runners.Observation) {
	_, model, _ := strings.Cut(o.Note, " to ")
	model, _, _ = strings.Cut(model, ": ")
	s := m.at(place{m.podAt(o.Path), model})
	if s == nil {
		return
	}
	if s.took = o.Op == "training.pushed"; !s.took {
		s.failed++
		s.most = max(s.most, s.missing)
		return
	}
	s.pushes++
	if all := m.rounds[s.ps]; s.version != 0 && len(all) > 0 {
		s.count(o.At)
		s.missing = max(0, s.missing-brought(all, stepsOf(o.Note), s.asOf))
		s.asOf = max(s.asOf, all[len(all)-1].at)
		s.most = max(s.most, s.missing)
	}
}

// brought returns how many of a push's steps belong to rounds after asOf. A push brings the steps
// of the last round and, with Q331 repaired, those of earlier rounds whose pushes failed.
func brought(rounds []round, steps int64, asOf time.Duration) (n int64) {
	for _, r := range slices.Backward(rounds) {
		if r.at <= asOf || n >= steps {
			break
		}
		n += r.steps
	}
	return n
}

// state handles a change of state of a version on a model server.
func (m *Meter) state(o runners.Observation) {
	name, number, _ := strings.Cut(o.Path, "/")
	version, _ := strconv.ParseInt(number, 10, 64)
	if o.Note == "AVAILABLE" {
		m.loaded(place{o.Pod, name}, version, o.At)
	}
	s := m.at(place{o.Pod, name})
	switch {
	case s == nil:
	case o.Note == "AVAILABLE" && version > s.version:
		s.count(o.At)
		s.version, s.asOf, s.since, s.missing, s.took = version, m.savedAt(name, version), o.At, 0, false
		for _, r := range slices.Backward(m.rounds[s.ps]) {
			if r.at <= s.asOf {
				break
			}
			s.missing += r.steps
		}
		s.most = max(s.most, s.missing)
	case o.Note != "AVAILABLE" && version == s.version:
		s.count(o.At)
		s.version = 0
	}
}

// ended handles the end of a model server, after which nothing in its pod is served.
func (m *Meter) ended(o runners.Observation) {
	m.unloaded(o.Pod)
	for _, s := range m.places { //lint:ordered each by itself
		if s.pod == o.Pod {
			s.count(o.At)
			s.version = 0
		}
	}
}

// count adds the ages since the previous call. The age has grown evenly with time since then,
// because every change of asOf calls count first.
func (s *parameters) count(now time.Duration) {
	if s.version != 0 && now > s.since {
		from, to := (s.since - s.asOf).Seconds(), (now - s.asOf).Seconds()
		s.sum += (from + to) / 2 * (to - from)
		s.served += now - s.since
		s.worst = max(s.worst, now-s.asOf)
	}
	s.since = now
}

// Age returns how old the parameters of a sub-graph in a pod are, and how many steps are missing.
// It returns an error while the pod serves no version of the sub-graph.
func (m *Meter) Age(pod, model string, now time.Duration) (age time.Duration, missing int64, err error) {
	if s := m.places[place{pod, model}]; s != nil && s.version != 0 {
		return now - s.asOf, s.missing, nil
	}
	return 0, 0, fmt.Errorf("%s: found no version of %s that it serves", pod, model)
}

// Parameters returns what was measured until now, sorted by model and pod.
func (m *Meter) Parameters(now time.Duration) []Parameters {
	list := make([]Parameters, 0, len(m.places))
	for _, known := range m.places { //lint:ordered sorted below
		s := *known // a copy, so that this call changes nothing, not even the rounding of sums
		s.count(now)
		p := Parameters{
			Pod: s.pod, Model: s.model, Pushes: s.pushes, Failed: s.failed, WorstSeconds: s.worst.Seconds(), EndSeconds: -1,
			ServedSeconds: s.served.Seconds(), MissingSteps: s.missing, MostMissingSteps: max(s.most, s.missing),
		}
		if s.served > 0 {
			p.MeanSeconds = s.sum / s.served.Seconds()
		}
		if s.version != 0 {
			p.EndSeconds = (now - s.asOf).Seconds()
		}
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b Parameters) int {
		return strings.Compare(a.Model+" "+a.Pod, b.Model+" "+b.Pod)
	})
	return list
}
