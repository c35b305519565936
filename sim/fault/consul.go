package fault

import (
	"fmt"
	"slices"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/consul"
	consulnode "github.com/monosim/monosim/sim/consul/node"
	"github.com/monosim/monosim/sim/world"
)

var consulKinds = []Kind{
	{
		FaultKind: cluster.FaultKind{
			Name:  "consul.blacklisted",
			Help:  "Consul takes the registrations of a process's machine, and lists none of them.",
			Lasts: "Consul has {trainer} on its blacklist",
			Ends:  "Consul takes {trainer} off its blacklist",
			Onset: "Consul puts {trainer} on its blacklist",
		},
		Begin: func(w *world.World, f cluster.Fault) error {
			return onBlacklist(w, f, func(list []string) []string { return append(slices.Clone(list), f.Pod) })
		},
		End: func(w *world.World, f cluster.Fault) error {
			return onBlacklist(w, f, func(list []string) []string {
				return slices.DeleteFunc(slices.Clone(list), func(name string) bool { return name == f.Pod })
			})
		},
	},
	{
		FaultKind: cluster.FaultKind{
			Name:  "consul.down",
			Help:  "The Consul agent is down: connections end, and new ones are refused. It keeps what is registered.",
			Lasts: "Consul is down",
			Ends:  "Consul is up again",
			Onset: "Consul goes down",
		},
		Begin: onConsul(func(s *consulnode.Server, _ cluster.Fault) error { s.Stop(); return nil }),
		End:   onConsul(func(s *consulnode.Server, _ cluster.Fault) error { return s.Start() }),
	},
	consulAnswers(
		cluster.FaultKind{
			Name:  "consul.errors",
			Help:  "The Consul agent answers every request with a status and carries none out.",
			Lasts: "Consul answers with status {status}",
			Ends:  "Consul no longer answers with status {status}",
			Onset: "Consul begins to answer with status {status}",
		},
		func(c *consul.Faults, f cluster.Fault) { c.Status = int(f.N) },
		func(c *consul.Faults, _ cluster.Fault) { c.Status = 0 },
	),
	{
		FaultKind: cluster.FaultKind{
			Name:   "consul.forgets",
			Help:   "The Consul agent loses all that is registered, as one without a data directory does when it is started again.",
			Begins: "Consul forgets what is registered",
		},
		Begin: onConsul(func(s *consulnode.Server, _ cluster.Fault) error { s.Agent().Forget(); return nil }),
	},
	consulAnswers(
		cluster.FaultKind{
			Name:  "consul.garbled",
			Help:  "The Consul agent carries requests out, and answers all of them with a page of HTML.",
			Lasts: "Consul answers with HTML",
			Ends:  "Consul no longer answers with HTML",
			Onset: "Consul begins to answer with HTML",
		},
		func(c *consul.Faults, _ cluster.Fault) { c.Text = garbled },
		func(c *consul.Faults, _ cluster.Fault) { c.Text = "" },
	),
	consulAnswers(
		cluster.FaultKind{
			Name:  "consul.late",
			Help:  "Look-ups of Consul list a service only a time after its registration.",
			Lasts: "Consul lists processes {duration} late",
			Ends:  "Consul no longer lists processes {duration} late",
			Onset: "Consul begins to list processes {duration} late",
		},
		func(c *consul.Faults, f cluster.Fault) { c.Lag = f.Duration },
		func(c *consul.Faults, _ cluster.Fault) { c.Lag = 0 },
	),
	consulAnswers(
		cluster.FaultKind{
			Name:  "consul.slow",
			Help:  "Every answer of the Consul agent waits; requests are carried out as they come in.",
			Lasts: "Consul answers after {duration}",
			Ends:  "Consul no longer answers after {duration}",
			Onset: "Consul begins to answer after {duration}",
		},
		func(c *consul.Faults, f cluster.Fault) { c.Delay = f.Duration },
		func(c *consul.Faults, _ cluster.Fault) { c.Delay = 0 },
	),
	consulAnswers(
		cluster.FaultKind{
			Name:  "consul.torn",
			Help:  "Every answer of the Consul agent that has a body ends in the middle of it, and the connection with it.",
			Lasts: "Consul tears its answers",
			Ends:  "Consul no longer tears its answers",
			Onset: "Consul begins to tear its answers",
		},
		func(c *consul.Faults, _ cluster.Fault) { c.Cut = true },
		func(c *consul.Faults, _ cluster.Fault) { c.Cut = false },
	),
}

// onBlacklist changes the list of hosts whose registrations Consul hides. The function do gets the
// present list and returns the new one.
func onBlacklist(w *world.World, f cluster.Fault, do func(list []string) []string) error {
	return onConsul(func(s *consulnode.Server, _ cluster.Fault) error {
		if _, err := w.FindTrainer(f.Pod); err != nil {
			return err
		}
		s.Agent().Faults().Hidden = do(s.Agent().Faults().Hidden)
		return nil
	})(w, f)
}

// garbled is an HTML page, as a faulty proxy may answer in place of Consul's JSON.
const garbled = "<html>It works!</html>"

// onConsul returns an action on the Consul agent of a training job. The action fails if there is no
// such job, or if the job does not use Consul for discovery.
func onConsul(do func(s *consulnode.Server, f cluster.Fault) error) action {
	return func(w *world.World, f cluster.Fault) error {
		if w.Consul() == nil {
			return fmt.Errorf("consul: found none, want a training job with the discovery consul")
		}
		return do(w.Consul(), f)
	}
}

// consulAnswers returns a fault kind that changes how Consul answers. begin and end edit Consul's
// fault settings. If a setting is out of range, the action returns an error and changes nothing.
func consulAnswers(k cluster.FaultKind, begin, end func(c *consul.Faults, f cluster.Fault)) Kind {
	with := func(set func(c *consul.Faults, f cluster.Fault)) action {
		return onConsul(func(s *consulnode.Server, f cluster.Fault) error {
			changed := *s.Agent().Faults()
			set(&changed, f)
			if err := changed.Check(); err != nil {
				return err
			}
			*s.Agent().Faults() = changed
			return nil
		})
	}
	return Kind{FaultKind: k, Begin: with(begin), End: with(end)}
}
