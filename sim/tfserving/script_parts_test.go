package tfserving

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

// init adds commands for scripts that mirror upstream's unit tests. They drive single parts of the
// server: the manager, a policy, the source, the state monitor.
func init() {
	//lint:ordered each name has an entry of its own
	for name, command := range map[string]func(s *script, args []string){
		"reset":     (*script).reset,     // begins with a new disk, without a server, at time 0
		"manager":   (*script).manager,   // PROFILE [OPTION]...: starts a manager without a source
		"unmanaged": (*script).unmanaged, // PROFILE [OPTION]...: starts neither manager nor source; for source, event and await
		"threads":   (*script).threads,   // N: sets the number of threads that load; prints when the pool is replaced
		"streams":   (*script).streams,   // FIRST LAST: makes these versions of the models a and b available, without printing
		// MODEL [VERSION[!TEXT|=PATH]]...: aspires the versions, as a source would; ! stands for an
		// error
		"aspire":    (*script).aspire,
		"handle":    (*script).handle,    // MODEL[:VERSION] [NAME]: looks the version up, and holds it under the name
		"available": (*script).available, // prints the versions that requests can reach
		"managed":   (*script).managed,   // prints the versions that the manager knows
		// availability|resources [VERSION:STATE:aspired|unaspired]...: prints the policy's next
		// action
		"policy": (*script).policy,
		"poll":   (*script).poll,   // PROFILE MODEL: polls once for a model, written as in reload
		"source": (*script).source, // SECONDS [MODEL]...: gives the source its next config, without a reload
		"event":  (*script).event,  // MODEL:VERSION STATE [TEXT]...: tells the state monitor
		"await":  (*script).await,  // [MODEL]...: waits for models as the first config does
	} {
		scriptCommands[name] = command
	}
}

func (s *script) reset([]string) {
	if s.server != nil {
		s.server.Stop()
	}
	exit := s.host.exit
	s.host, s.server, s.handles, s.reloads = newTestHost(), nil, map[string]Handle{}, 0
	s.host.exit = exit
}

func (s *script) manager(args []string) {
	o := s.options(args)
	s.server = New(o, s.host)
	s.server.OnEvent = s.printEvent
	s.server.timers.Request(s.server.manager.start)
}

func (s *script) unmanaged(args []string) {
	s.server = New(s.options(args), s.host)
	s.server.manager.busy = true // requests pile up
}

func (s *script) threads(args []string) {
	n := s.atoi(args[0])
	s.server.timers.Request(func() {
		s.server.manager.setLoadThreads(n, func() { s.printf("threads: %d", n) })
	})
}

func (s *script) streams(args []string) {
	first, last := int64(s.atoi(args[0])), int64(s.atoi(args[1]))
	s.server.OnEvent = nil
	for _, model := range []string{"a", "b"} {
		var list []aspired
		for v := first; v <= last; v++ {
			path := fmt.Sprintf("/m/%s/%d", model, v)
			s.host.disk.putModel(path, 0)
			list = append(list, aspired{version: v, path: path})
		}
		s.server.aspireForTest(model, list...)
	}
	s.run([]string{"1s"})
	s.server.OnEvent = s.printEvent
}

func (s *script) aspire(args []string) {
	var list []aspired
	for _, arg := range args[1:] {
		version, text, failed := strings.Cut(arg, "!")
		version, path, placed := strings.Cut(version, "=")
		v := aspired{version: int64(s.atoi(version)), path: path}
		if !placed {
			v.path = "/m/" + args[0] + "/" + version
		}
		if failed {
			v.err = statusf(rpcerrors.Unknown, "%s", text)
		}
		list = append(list, v)
	}
	s.server.aspireForTest(args[0], list...)
}

func (s *script) handle(args []string) {
	h, err := acquire(s.server, s.spec(args[0]))
	if err != nil {
		s.printf("handle %s: %v", args[0], err)
		return
	}
	s.printf("handle %s: %s:%d", args[0], h.Model(), h.Version())
	if len(args) > 1 {
		s.handles[args[1]] = h
		return
	}
	h.Release()
}

func (s *script) available([]string) {
	var ids []string
	serving := s.server.reader.serving
	for _, m := range serving.models {
		for _, h := range m.versions {
			ids = append(ids, fmt.Sprintf("%s:%d", m.model, h.id.version))
		}
	}
	s.printf("available:%s", strings.Join(append([]string{""}, ids...), " "))
}

func (s *script) managed([]string) {
	var ids []string
	for _, e := range s.server.manager.models {
		for _, h := range e.versions {
			ids = append(ids, fmt.Sprintf("%s:%d:%s:%s", e.name, h.id.version, stateNames[h.state], aspiredName(h.aspired)))
		}
	}
	s.printf("managed:%s", strings.Join(append([]string{""}, ids...), " "))
}

// stateNames are LoaderHarness::StateDebugString's.
var stateNames = [...]string{"new", "load-requested", "load-approved", "loading", "ready", "unload-requested", "quiescing",
	"quiesced", "unloading", "disabled", "error"}

func aspiredName(aspired bool) string {
	if aspired {
		return "aspired"
	}
	return "unaspired"
}

func (s *script) policy(args []string) {
	policies := map[string]Transition{"availability": AvailabilityPreserving, "resources": ResourcePreserving}
	var versions []*harness
	for _, arg := range args[1:] {
		parts := strings.Split(arg, ":")
		versions = append(versions, &harness{
			id:      servable{"m", int64(s.atoi(parts[0]))},
			state:   harnessState(slices.Index(stateNames[:], parts[1])),
			aspired: parts[2] == "aspired",
		})
	}
	slices.SortFunc(versions, func(a, b *harness) int { return cmp.Compare(a.id.version, b.id.version) })
	s.printf("policy %s: %s", args[0], actionText(policies[args[0]].next(versions)))
}

func actionText(a action, ok bool) string {
	switch {
	case !ok:
		return "none"
	case a.kind == loadAction:
		return fmt.Sprintf("load %d", a.harness.id.version)
	}
	return fmt.Sprintf("unload %d", a.harness.id.version)
}

func (s *script) poll(args []string) {
	profile, err := ParseProfile(args[0])
	if err != nil {
		s.fatalf("%v", err)
	}
	server := New(DefaultOptions(profile), s.host)
	m := monitoredOf(s.models(args[1:]))[0]
	versions, failed := newSource(server).pollOne(s.host.disk, &m)
	if failed != nil {
		s.printf("poll %s: %s", m.name, failed)
		return
	}
	s.printAspired(m.name, versions)
}

func monitoredOf(models []modelconfig.ModelConfig) (list []monitored) {
	for _, m := range models {
		list = append(list, monitored{name: m.Name, basePath: m.BasePath, policy: m.Policy})
	}
	return list
}

func (s *script) printAspired(model string, versions []aspired) {
	var texts []string
	for _, v := range versions {
		texts = append(texts, fmt.Sprintf("%d=%s", v.version, strconv.Quote(v.path)))
	}
	s.printf("aspire %s: [%s]", model, strings.Join(texts, " "))
}

// source changes the config of the server's source. At its first use it creates and connects the
// source.
func (s *script) source(args []string) {
	src := s.server.core.source
	s.server.options.FileSystemPollWaitSeconds = int64(s.atoi(args[0]))
	if src == nil {
		src = newSource(s.server)
		s.server.core.source = src
		s.server.onAspire = s.printAspired
		defer s.server.timers.Request(src.connect)
	}
	s.server.timers.Request(func() {
		src.updateConfig(monitoredOf(s.models(args[1:])), func(err *env.RPCError) {
			if err != nil {
				s.printf("source: %s", err)
			}
		})
	})
}

func (s *script) event(args []string) {
	spec := s.spec(args[0])
	states := map[string]env.ModelState{"START": env.StateStart, "LOADING": env.StateLoading, "AVAILABLE": env.StateAvailable,
		"UNLOADING": env.StateUnloading, "END": env.StateEnd}
	var failed *env.RPCError
	if len(args) > 2 {
		failed = statusf(rpcerrors.Internal, "%s", strings.Join(args[2:], " "))
	}
	s.server.timers.Request(func() { s.server.publish(servable{spec.Name, spec.Version}, states[args[1]], failed) })
}

func (s *script) await(args []string) {
	s.server.timers.Request(func() {
		s.server.core.await(&wait{models: args, noun: "servable", done: func(err *env.RPCError) {
			s.printf("await %s: %s", strings.Join(args, " "), errorText(err))
		}})
	})
}

func errorText(err *env.RPCError) string {
	if err == nil {
		return "OK"
	}
	return err.Error()
}
