package steps

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners"
)

// bareServer adds a model server without an agent to the cluster's shape.
func (w *World) bareServer() error { return w.bareServerWith("") }

func (w *World) bareServerWith(flags string) error {
	w.spec.BareServer = &runners.BareServerSpec{Flags: strings.Fields(flags)}
	return nil
}

func (w *World) serverMemory(size string) error {
	bytes, err := sizeBytes(size)
	w.spec.Serving.MemoryLimitBytes = bytes
	return err
}

func (w *World) retainedMemory(percent int) error {
	if percent > 100 {
		return fmt.Errorf("memory of unloaded models: found %d%%, want 100%% or less", percent)
	}
	w.spec.Serving.RetainedPercent = &percent
	return nil
}

func (w *World) predictTime(text string) error {
	d, err := time.ParseDuration(text)
	w.spec.Serving.PredictTime = d
	return err
}

func (w *World) noDefaultModel() error {
	w.spec.Serving.NoDefaultModel = true
	return nil
}

func (w *World) fakeFaults() error {
	w.spec.Serving.FakeBugs = true
	return nil
}

func (w *World) fakeSwitches() error {
	w.spec.Serving.FakeSwitches = true
	return nil
}

func (w *World) startBareServer() error { return w.cluster.StartPod(runners.BareServer) }

// caller returns the cluster as a Caller, or ErrUnsupported if it cannot call model servers.
func (w *World) caller() (runners.Caller, error) {
	if c, ok := w.cluster.(runners.Caller); ok {
		return c, nil
	}
	return nil, runners.ErrUnsupported
}

// served returns the entry of a model for later model configs. Unless a sentence has changed it,
// the entry has the default path and platform, and neither policy nor labels.
func (w *World) served(servable string) *runners.ServedModel {
	if m := w.entries[servable]; m != nil {
		return m
	}
	if w.entries == nil {
		w.entries = map[string]*runners.ServedModel{}
	}
	m := &runners.ServedModel{Name: servable, BasePath: w.basePath(servable), Platform: "tensorflow"}
	w.entries[servable] = m
	return m
}

// config returns the model config entries of the listed models. The list is never nil.
func (w *World) config(servables string) []runners.ServedModel {
	return lists.Map(list(servables), func(name string) runners.ServedModel { return *w.served(name) })
}

func (w *World) configBasePath(servable, path string) error {
	w.served(servable).BasePath = path
	return nil
}

func (w *World) configPlatform(servable, platform string) error {
	w.served(servable).Platform = platform
	return nil
}

func (w *World) configPolicy(servable, policy string) error {
	w.served(servable).Policy = policy
	return nil
}

// configLabel gives a version a label. If another version has the label already, that version loses
// the label.
func (w *World) configLabel(servable string, version int64, label string) error {
	m := w.served(servable)
	labels := []runners.ServedLabel{{Name: label, Version: version}}
	m.Labels = append(labels, lists.Filter(m.Labels, func(l runners.ServedLabel) bool { return l.Name != label })...)
	return nil
}

func (w *World) configFileLists(path, servables string) error {
	return w.writeConfig(path, w.config(servables))
}

func (w *World) configFileListsNothing(path string) error {
	return w.writeConfig(path, []runners.ServedModel{})
}

func (w *World) configFileEmpty(path string) error { return w.writeConfig(path, nil) }

func (w *World) writeConfig(path string, models []runners.ServedModel) error {
	c, err := w.caller()
	if err != nil {
		return err
	}
	return c.WriteModelConfig(path, models)
}

// onServer makes a check that calls fn with one model server.
func (w *World) onServer(server string, fn func(c runners.Caller, s modelServer) error) check {
	return func() error {
		c, err := w.caller()
		if err != nil {
			return err
		}
		servers, err := w.servers(server)
		if err != nil {
			return err
		}
		return fn(c, servers[0])
	}
}

func (w *World) serves(server string) check {
	return w.onServer(server, func(c runners.Caller, s modelServer) error {
		if err := c.Connect(s.pod, s.kind); err != nil {
			return differ(s.String(), "serving", err)
		}
		return nil
	})
}

func (w *World) refusesConnections(server string) check {
	return w.onServer(server, func(c runners.Caller, s modelServer) error {
		err := c.Connect(s.pod, s.kind)
		if rpc, ok := errors.AsType[*env.RPCError](err); ok && rpc.Code == rpcerrors.Unavailable {
			return nil
		}
		if err == nil {
			return differ(s.String(), rpcerrors.Unavailable, "an answer")
		}
		return differ(s.String(), rpcerrors.Unavailable, err)
	})
}

func (w *World) bareServerEndedWith(code int) check {
	return func() error {
		s, err := w.cluster.PodState(runners.BareServer)
		if err == nil && (s.Running || s.Starts == 0 || s.ExitCode != code) {
			return differ("model server", fmt.Sprintf("ended with %d", code), describe(s))
		}
		return err
	}
}

func (w *World) bareServerPrinted(text string) check {
	return w.outputHas(text, true, "printed ...")
}

func (w *World) bareServerDidNotPrint(text string) check {
	return w.outputHas(text, false, "not printed ...")
}

func (w *World) outputHas(text string, wanted bool, want string) check {
	return w.onServer(bareServerName, func(c runners.Caller, s modelServer) error {
		output, err := c.Output()
		if err == nil && strings.Contains(output, text) != wanted {
			return differ(s.String(), want+text+"...", output)
		}
		return err
	})
}

func (w *World) memoryBetween(server, least, most string) check {
	return w.onServer(server, func(c runners.Caller, s modelServer) error {
		low, err := sizeBytes(least)
		if err != nil {
			return err
		}
		high, err := sizeBytes(most)
		if err != nil {
			return err
		}
		got, err := c.ResidentBytes(s.pod, s.kind)
		if err == nil && (got < low || got > high) {
			return differ("memory of the "+s.String(), least+" to "+most, fmt.Sprintf("%d MB", got/1e6))
		}
		return err
	})
}

// hasVersions makes a check of how many versions of a model each server reports.
func (w *World) hasVersions(servers string, n int, model string) check {
	return w.eachServer(servers, model, func(s modelServer, versions []env.ModelVersionStatus, err error) error {
		what := fmt.Sprintf("%s: versions of %s", s, model)
		if err != nil {
			return differ(what, n, err)
		}
		if len(versions) != n {
			return differ(what, n, statuses(versions))
		}
		return nil
	})
}

// ofFresh makes a check of what the cluster measured of each of the named model servers.
func (w *World) ofFresh(who string, fn func(fresh runners.Fresh, s modelServer) error) check {
	return func() error {
		fresh, ok := w.cluster.(runners.Fresh)
		if !ok {
			return runners.ErrUnsupported
		}
		return w.onServers(who, func(s modelServer) error { return fn(fresh, s) })
	}
}

// ofParameters makes a check of the parameters that each of the named model servers has.
func (w *World) ofParameters(who, model string, fn func(what string, age time.Duration, missing int64) error) check {
	return w.ofFresh(who, func(fresh runners.Fresh, s modelServer) error {
		what := fmt.Sprintf("%s: parameters of %s", s, model)
		age, missing, err := fresh.ParametersAge(s.pod, model)
		if err != nil {
			return differ(what, "some", err)
		}
		return fn(what, age, missing)
	})
}

func (w *World) parametersAtMost(who, model, text string) check {
	return w.parametersAged(who, model, text, "at most", func(age, limit time.Duration) bool { return age <= limit })
}

func (w *World) parametersAtLeast(who, model, text string) check {
	return w.parametersAged(who, model, text, "at least", func(age, limit time.Duration) bool { return age >= limit })
}

func (w *World) parametersAged(who, model, text, word string, fits func(age, limit time.Duration) bool) check {
	limit, failed := time.ParseDuration(text)
	return w.ofParameters(who, model, func(what string, age time.Duration, _ int64) error {
		if failed != nil {
			return failed
		}
		if !fits(age, limit) {
			return differ(what, fmt.Sprintf("%s %v old", word, limit), age.Round(time.Millisecond))
		}
		return nil
	})
}

func (w *World) lacksUpdates(who, model string) check {
	return w.ofParameters(who, model, func(what string, _ time.Duration, missing int64) error {
		if missing == 0 {
			return differ(what, "updates that it lacks", "none")
		}
		return nil
	})
}

func (w *World) lacksNoUpdates(who, model string) check {
	return w.ofParameters(who, model, func(what string, _ time.Duration, missing int64) error {
		if missing > 0 {
			return differ(what, "no updates that it lacks", fmt.Sprintf("those of %d steps", missing))
		}
		return nil
	})
}

// hasPushed makes a check that a PS has pushed to each of the named model servers.
func (w *World) hasPushed(trainer, who string) check {
	return w.ofFresh(who, func(fresh runners.Fresh, s modelServer) error {
		if fresh.Pushes(trainer, s.pod) == 0 {
			return differ(fmt.Sprintf("pushes of %s to %s", trainer, s), "one at least", "none")
		}
		return nil
	})
}

func (w *World) syncGoesOn(trainer string) check { return w.times(trainer, "sync-ended", "", 0) }
