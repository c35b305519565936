package consul

import (
	"slices"
	"strings"
	"time"
)

// Agent stands for the Consul agents of all hosts. It holds the registered services, in the order
// of their first registrations, and the present faults. All times are virtual time since the start
// of the world.
type Agent struct {
	services []*service
	faults   Faults
}

// New makes an agent without services.
func New() *Agent { return &Agent{} }

type service struct {
	id, name string
	port     int
	tags     []string
	host     string // host is the host that registered it
	since    time.Duration
	// ttl is the TTL of the check; 0 for a check that needs no heartbeats.
	ttl     time.Duration
	passing bool
	until   time.Duration // until is when the TTL expires
}

// Service describes one registered service, for observers.
type Service struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Host    string   `json:"host"`
	Port    int      `json:"port"`
	Tags    []string `json:"tags"`
	Passing bool     `json:"passing"`
	// Listed is true if a look-up returns the service.
	Listed bool `json:"listed"`
}

// find returns the index of a service that a host registered; -1 if there is none (CNS-2.8).
func (a *Agent) find(host, id string) int {
	return slices.IndexFunc(a.services, func(s *service) bool { return s.host == host && s.id == id })
}

// register adds a service, or replaces the one with the same id. A replaced service keeps the
// state of its check, and its TTL restarts (CNS-2.3).
func (a *Agent) register(now time.Duration, s service) {
	s.since, s.until = now, now+s.ttl
	i := a.find(s.host, s.id)
	if i < 0 {
		a.services = append(a.services, &s)
		return
	}
	s.passing = s.passing || a.services[i].alive(now)
	a.services[i] = &s
}

// deregister removes a service, and reports whether there was one.
func (a *Agent) deregister(host, id string) bool {
	i := a.find(host, id)
	if i >= 0 {
		a.services = slices.Delete(a.services, i, i+1)
	}
	return i >= 0
}

// update sets the state of a TTL check and restarts its TTL. It returns false if there is no such
// check.
func (a *Agent) update(now time.Duration, host, check string, passing bool) bool {
	id, named := strings.CutPrefix(check, "service:")
	i := a.find(host, id)
	if !named || i < 0 || a.services[i].ttl == 0 {
		return false
	}
	a.services[i].passing, a.services[i].until = passing, now+a.services[i].ttl
	return true
}

func (s *service) alive(now time.Duration) bool {
	return s.passing && (s.ttl == 0 || now < s.until)
}

// Services describes all registered services as of now, the oldest first.
func (a *Agent) Services(now time.Duration) []Service {
	list := []Service{}
	for _, s := range a.services {
		list = append(list, Service{
			ID: s.id, Name: s.name, Host: s.host, Port: s.port, Tags: append([]string{}, s.tags...),
			Passing: s.alive(now), Listed: a.lists(now, s),
		})
	}
	return list
}

// lists reports whether a look-up returns a service.
func (a *Agent) lists(now time.Duration, s *service) bool {
	return s.alive(now) && now-s.since >= a.faults.Lag && !a.faults.hides(s)
}

// Forget removes all services, as the restart of an agent without a data directory does.
func (a *Agent) Forget() { a.services = nil }
