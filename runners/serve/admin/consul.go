package admin

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/sim/consul"
	"github.com/monosim/monosim/sim/consul/serve"
)

// Consul lists the admin actions of a served Consul agent.
func Consul(s *serve.Server) []Action {
	c := consulAgent{s}
	return []Action{
		Show("/state", "services with the states of their checks, and the faults that last", c.state),
		Do("/status", "have every request answered with a status and a text, and not carried out", statusAsked{Status: 503, Text: "no leader"}, c.status),
		Do("/text", "have every answer be a text", textAsked{Text: "<html>"}, c.text),
		Do("/cut", "have every answer end in the middle of its body", Nothing{}, c.cut),
		Do("/delay", "have every answer wait; 0s ends it", consulDelay{Delay: Span(time.Second)}, c.delay),
		Do("/lag", "have look-ups list a service only so long after its registration; 0s ends it", lagAsked{Lag: Span(12 * time.Second)}, c.lag),
		Do("/hide", "have look-ups never list the services of a host, or one of an id: a blacklist", hideAsked{What: "job-1000"}, c.hide),
		Do("/forget", "lose all services, as a restart without a data directory does", Nothing{}, c.forget),
		Do("/heal", "end all faults", Nothing{}, func(Nothing) (Nothing, error) { return Nothing{}, c.server.SetFaults(consul.Faults{}) }),
		exitAction(),
	}
}

type consulAgent struct{ server *serve.Server }

type consulState struct {
	Services []consul.Service `json:"services"`
	Status   int              `json:"status,omitempty"`
	Text     string           `json:"text,omitempty"`
	Cut      bool             `json:"cut,omitempty"`
	Delay    Span             `json:"delay"`
	Lag      Span             `json:"lag"`
	Hidden   []string         `json:"hidden,omitempty"`
}

func (c consulAgent) state() (consulState, error) {
	f := c.server.Faults()
	return consulState{
		Services: c.server.Services(), Status: f.Status, Text: f.Text, Cut: f.Cut, Delay: Span(f.Delay), Lag: Span(f.Lag), Hidden: f.Hidden,
	}, nil
}

// change reads the agent's faults, changes them by do, and sets them.
func (c consulAgent) change(do func(f *consul.Faults)) (Nothing, error) {
	f := c.server.Faults()
	do(&f)
	return Nothing{}, c.server.SetFaults(f)
}

type statusAsked struct {
	Status int    `json:"status"`
	Text   string `json:"text"`
}

func (c consulAgent) status(in statusAsked) (Nothing, error) {
	return c.change(func(f *consul.Faults) { f.Status, f.Text = in.Status, in.Text })
}

type textAsked struct {
	Text string `json:"text"`
}

func (c consulAgent) text(in textAsked) (Nothing, error) {
	return c.change(func(f *consul.Faults) { f.Text = in.Text })
}

func (c consulAgent) cut(Nothing) (Nothing, error) {
	return c.change(func(f *consul.Faults) { f.Cut = true })
}

type consulDelay struct {
	Delay Span `json:"delay"`
}

func (c consulAgent) delay(in consulDelay) (Nothing, error) {
	return c.change(func(f *consul.Faults) { f.Delay = time.Duration(in.Delay) })
}

func (c consulAgent) lag(in lagAsked) (Nothing, error) {
	return c.change(func(f *consul.Faults) { f.Lag = time.Duration(in.Lag) })
}

type hideAsked struct {
	What string `json:"what"`
}

func (c consulAgent) hide(in hideAsked) (Nothing, error) {
	if in.What == "" {
		return Nothing{}, fmt.Errorf("what: found %q, want a host or the id of a service", in.What)
	}
	return c.change(func(f *consul.Faults) { f.Hidden = append(append([]string{}, f.Hidden...), in.What) })
}

func (c consulAgent) forget(Nothing) (Nothing, error) {
	c.server.Forget()
	return Nothing{}, nil
}
