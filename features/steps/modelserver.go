package steps

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners"
)

// bareServerName is what sentences call the model server that has no agent.
const bareServerName = "the model server"

// modelServer identifies a model server. kind is "" in pods that have only one.
type modelServer struct{ pod, kind string }

func (s modelServer) String() string {
	if s.pod == runners.BareServer {
		return "model server"
	}
	if s.kind == "" {
		return "model server of " + s.pod
	}
	return s.kind + " server of " + s.pod
}

// servers returns the model servers that a text names. "the ps server of shard0-replica0" names
// one, "every model server" names those of all pods with agents, and "the model server" names the
// one that has no agent.
func (w *World) servers(text string) ([]modelServer, error) {
	if text != "every model server" {
		s, err := oneServer(text)
		return []modelServer{s}, err
	}
	var all []modelServer
	for _, pod := range w.cluster.Pods() {
		s, err := w.cluster.PodState(pod.Name)
		if err != nil {
			return nil, err
		}
		for _, m := range s.ModelServers {
			all = append(all, modelServer{pod.Name, m.Kind})
		}
	}
	return all, nil
}

// oneServer parses "the ps server of shard0-replica0" or "the model server".
func oneServer(text string) (modelServer, error) {
	if text == bareServerName {
		return modelServer{pod: runners.BareServer}, nil
	}
	var s modelServer
	_, err := fmt.Sscanf(text, "the %s server of %s", &s.kind, &s.pod)
	if s.kind == "model" {
		s.kind = ""
	}
	return s, err
}

// eachServer makes a check of the versions that each named server reports for a model. A server
// that does not run fails the check.
func (w *World) eachServer(servers, model string, fn func(s modelServer, versions []env.ModelVersionStatus, err error) error) check {
	return func() error {
		return w.onServers(servers, func(s modelServer) error {
			versions, err := w.cluster.ModelStatus(s.pod, s.kind, model)
			return fn(s, versions, err)
		})
	}
}

// onServers calls fn with each named server, up to the first error. It also returns an error if
// none of them runs.
func (w *World) onServers(servers string, fn func(s modelServer) error) error {
	list, err := w.servers(servers)
	if err != nil {
		return err
	}
	return onEach("model servers", list, fn)
}

func (w *World) hasVersion(servers string, version int64, model, state string) check {
	return w.eachServer(servers, model, func(s modelServer, versions []env.ModelVersionStatus, err error) error {
		what := fmt.Sprintf("%s: version %d of %s", s, version, model)
		if err != nil {
			return differ(what, state, err)
		}
		for _, v := range versions {
			if v.Version == version && v.State.String() == state {
				return nil
			}
		}
		return differ(what, state, statuses(versions))
	})
}

func (w *World) hasNoVersion(servers, model string) check {
	return w.eachServer(servers, model, func(s modelServer, versions []env.ModelVersionStatus, err error) error {
		if rpc, ok := errors.AsType[*env.RPCError](err); ok && rpc.Code == rpcerrors.NotFound {
			return nil
		}
		if err != nil {
			return differ(fmt.Sprintf("%s: %s", s, model), rpcerrors.NotFound, err)
		}
		return differ(fmt.Sprintf("%s: %s", s, model), "no version", statuses(versions))
	})
}

// reportsError makes a check that a version's error has the code, and contains text in its message.
func (w *World) reportsError(servers, code, text string, version int64, model string) check {
	return w.eachServer(servers, model, func(s modelServer, versions []env.ModelVersionStatus, err error) error {
		what := fmt.Sprintf("%s: version %d of %s", s, version, model)
		want := code + " ..." + text + "..."
		if err != nil {
			return differ(what, want, err)
		}
		for _, v := range versions {
			if v.Version == version && v.Status.Code.String() == code && strings.Contains(v.Status.Message, text) {
				return nil
			}
		}
		return differ(what, want, statuses(versions))
	})
}

// statuses describes versions, such as "1 AVAILABLE, 2 END (NOT_FOUND: ...)".
func statuses(versions []env.ModelVersionStatus) string {
	if len(versions) == 0 {
		return "no version"
	}
	parts := lists.MapOrNil(versions, func(v env.ModelVersionStatus) string { return v.String() })
	return strings.Join(parts, ", ")
}

// configName matches a model's name in a model config file.
var configName = regexp.MustCompile(`\bname:\s*"([^"]*)"`)

// configFile makes a check of the models named in the config file that a pod's only model server
// polls.
func (w *World) configFile(pod string, want []string) check {
	return func() error {
		s, err := w.cluster.PodState(pod)
		if err != nil {
			return err
		}
		if len(s.ModelServers) != 1 {
			return differ("model servers of "+pod, 1, len(s.ModelServers))
		}
		text, err := w.cluster.ReadFile(pod, s.ModelServers[0].ConfigFile)
		if err != nil {
			return err
		}
		got := lists.Map(configName.FindAllSubmatch(text, -1), func(m [][]byte) string { return string(m[1]) })
		slices.Sort(got)
		if !slices.Equal(got, want) {
			return differ("model config of "+pod, want, got)
		}
		return nil
	}
}

func (w *World) configLists(pod, servables string) check {
	want := list(servables)
	slices.Sort(want)
	return w.configFile(pod, want)
}

func (w *World) configEmpty(pod string) check { return w.configFile(pod, []string{}) }
