package consul

import (
	"slices"
	"strings"
	"time"
)

// Agent stands for the Consul agents of all hosts: the services that were registered with it, in the order of their
// first registrations, and the faults that last. Times are those since the start of the world.
type Agent struct {
	services []*service
	faults   Faults
}

// New makes an agent without services.
func New() *Agent { return &Agent{} }

// service is a registration.
type service struct {
	id, name string
	port     int
	tags     []string
	host     string // that registered it
	since    time.Duration
	// ttl is that of the check, 0 for one that needs no heartbeats.
	ttl     time.Duration
	passing bool
	until   time.Duration // when the TTL is over
}

// Service is a registration as an observer sees it.
type Service struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Host    string   `json:"host"`
	Port    int      `json:"port"`
	Tags    []string `json:"tags"`
	Passing bool     `json:"passing"`
	// Listed is whether a look-up answers it.
	Listed bool `json:"listed"`
}

// find is where the service of an id is at a host's agent, -1 for nowhere (CNS-2.8).
func (a *Agent) find(host, id string) int {
	return slices.IndexFunc(a.services, func(s *service) bool { return s.host == host && s.id == id })
}

// register adds a service; one of the same id is replaced, and its check goes on as it was,
// with the TTL begun anew (CNS-2.3).
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

// update sets the state of a TTL check and begins its time anew; it reports whether there is
// such a check.
func (a *Agent) update(now time.Duration, host, check string, passing bool) bool {
	id, named := strings.CutPrefix(check, "service:")
	i := a.find(host, id)
	if !named || i < 0 || a.services[i].ttl == 0 {
		return false
	}
	a.services[i].passing, a.services[i].until = passing, now+a.services[i].ttl
	return true
}

// alive reports whether the check passes.
func (s *service) alive(now time.Duration) bool {
	return s.passing && (s.ttl == 0 || now < s.until)
}

// Services are all registrations at a time, the oldest first.
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

// lists reports whether a look-up answers a service.
func (a *Agent) lists(now time.Duration, s *service) bool {
	return s.alive(now) && now-s.since >= a.faults.Lag && !a.faults.hides(s)
}

// Forget loses all services, as an agent without a data directory does when it is started again.
func (a *Agent) Forget() { a.services = nil }
