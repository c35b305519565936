package tfserving

import (
	"cmp"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
	"github.com/monosim/monosim/sim/tfserving/timerqueue"
)

// core corresponds to upstream's ServerCore: the stored config, the source, and the lock that is
// held during a reload (TFS-2.3 item 1). The label map is in the Reader.
type core struct {
	server *Server
	lock   timerqueue.Mutex
	// config is the config that the last reload stored in its step 6. generation counts how often a
	// config was stored.
	config     modelconfig.ServerConfig
	generation int
	source     *source // source is nil until a first config has loaded (TFS-8.9)
	connecting *source // connecting is the source while a first config loads; else nil
	routes     []route // routes is sorted by model
	waiting    *wait
}

// handleReload executes a reload by RPC. Step 1, the check of the config's kind, needs no lock.
func (c *core) handleReload(config modelconfig.ServerConfig, done func(*env.RPCError)) {
	if config.Kind != modelconfig.ModelList {
		done(statusf(rpcerrors.InvalidArgument, "ServerModelConfig type not supported by HandleReloadConfigRequest. "+
			"Only ModelConfigList is currently supported"))
		return
	}
	c.reload(c.server.options.LatestOnce.of(config), done)
}

// reload executes upstream's ReloadConfig. A reload that waits forever keeps the lock, so all later
// reloads wait too (TFS-8.7).
func (c *core) reload(config modelconfig.ServerConfig, done func(*env.RPCError)) {
	c.lock.Lock(func() {
		c.apply(config, func(err *env.RPCError) {
			c.lock.Unlock()
			done(err)
		})
	})
}

// apply executes the steps of a reload in upstream's order (TFS-8.2). A failed step ends the
// reload. If step 6 has already stored the new config, the config stays stored.
func (c *core) apply(config modelconfig.ServerConfig, done func(*env.RPCError)) {
	if !c.legalTransition(config) {
		done(statusf(rpcerrors.FailedPrecondition, "Cannot transition to requested config. It is only legal to transition "+
			"from one ModelConfigList to another."))
		return
	}
	if config.Kind == modelconfig.EmptyConfig {
		c.server.infof("Taking no action for empty config.")
		done(nil)
		return
	}
	if config.Kind == modelconfig.ModelList {
		if err := c.validate(config); err != nil {
			done(err)
			return
		}
	}
	c.config = config
	c.generation++
	c.server.configPoll.reloaded()
	if err := c.updateLabels(config); err != nil {
		done(err)
		return
	}
	if config.Kind == modelconfig.CustomConfig {
		c.loadCustom(config, done)
		return
	}
	c.addModels(config, done)
}

// addModels executes steps 8 to 10 of a reload (TFS-8.2).
func (c *core) addModels(config modelconfig.ServerConfig, done func(*env.RPCError)) {
	c.server.infof("Adding/updating models.")
	routes, err := c.route(config)
	if err != nil {
		done(err)
		return
	}
	models := make([]monitored, 0, len(config.Models))
	for _, m := range config.Models {
		c.server.infof(" (Re-)adding model: %s", m.Name)
		models = append(models, monitored{name: m.Name, basePath: c.basePath(m), policy: m.Policy})
	}
	if c.source == nil {
		if err := c.server.adapterError(); err != nil {
			done(err)
			return
		}
		c.routes = routes
		c.connectFirst(models, func(err *env.RPCError) { done(cmp.Or(err, loggerError(config))) })
		return
	}
	if conflict(c.routes, routes) {
		done(statusf(rpcerrors.Internal, "Old and new routes conflict."))
		return
	}
	w := &wait{models: c.source.newNames(models), fresh: &monitor{}, noun: "model", done: func(err *env.RPCError) {
		done(cmp.Or(err, loggerError(config)))
	}}
	c.listen(w)
	// Until the source has its new config, models of both the old and the new config need routes.
	c.routes = mergedRoutes(c.routes, routes)
	c.source.updateConfig(models, func(err *env.RPCError) {
		if err != nil {
			c.waiting = nil
			done(err)
			return
		}
		c.routes = routes
		c.await(w)
	})
}

// loggerError executes the last step of a reload. A stock server cannot create request loggers, so
// a model with a logging_config makes the reload or the start fail, after all other steps are done
// (core/server_request_logger.cc).
func loggerError(config modelconfig.ServerConfig) *env.RPCError {
	if !slices.ContainsFunc(config.Models, func(m modelconfig.ModelConfig) bool { return m.Logging }) {
		return nil
	}
	return statusf(rpcerrors.InvalidArgument, "No request-logger-creator provided.")
}

// adapterError creates the source adapters, as upstream's CreateAdapters does. It returns the error
// of the first platform by name whose adapter cannot be created.
func (s *Server) adapterError() *env.RPCError {
	for i := range s.options.Platforms {
		p := &s.options.Platforms[i]
		if p.ConfigError != nil {
			return p.ConfigError
		}
		if batching := s.settingsOf(p).batching; batching != nil {
			if err := batching.createError(s.profile); err != nil {
				return err
			}
		}
	}
	return nil
}

// route returns the platform of each model of the config, sorted by model.
func (c *core) route(config modelconfig.ServerConfig) ([]route, *env.RPCError) {
	routes := make([]route, 0, len(config.Models))
	for _, m := range config.Models {
		name, err := c.server.platform(m)
		if err != nil {
			return nil, err
		}
		platform, ok := c.server.options.platformNamed(name)
		if !ok {
			return nil, statusf(rpcerrors.InvalidArgument, "Model %s requests unsupported platform %s", m.Name, name)
		}
		routes = append(routes, route{m.Name, platform})
	}
	slices.SortFunc(routes, byModel)
	return routes, nil
}

type route struct {
	model    string
	platform *Platform
}

func byModel(a, b route) int { return strings.Compare(a.model, b.model) }

// conflict reports whether a model would change its platform. The check of platforms can miss that,
// because it looks at the stored config. A failed reload may have stored its config without
// installing its routes (model_servers/server_core.cc, UnionRoutes).
func conflict(old, fresh []route) bool {
	return slices.ContainsFunc(fresh, func(r route) bool {
		at, ok := slices.BinarySearchFunc(old, r, byModel)
		return ok && old[at].platform != r.platform
	})
}

// mergedRoutes merges both lists. For a model in both, it keeps the new route.
func mergedRoutes(old, fresh []route) []route {
	merged := slices.Concat(fresh, old)
	slices.SortStableFunc(merged, byModel)
	return slices.CompactFunc(merged, func(a, b route) bool { return a.model == b.model })
}

func (s *Server) platformOf(model string) (*Platform, bool) {
	at, ok := slices.BinarySearchFunc(s.core.routes, route{model: model}, byModel)
	if !ok {
		return nil, false
	}
	return s.core.routes[at].platform, true
}

// connectFirst loads a first config with many threads (TFS-5.6). If a model fails, the source is
// dropped, but the manager keeps the versions that the source has requested (TFS-8.9). Versions
// that are already loaded or failed count as done.
func (c *core) connectFirst(models []monitored, done func(*env.RPCError)) {
	source := newSource(c.server)
	source.updateConfig(models, func(err *env.RPCError) {
		if err != nil {
			source.close()
			done(err)
			return
		}
		c.connect(source, done)
	})
}

func (c *core) connect(source *source, done func(*env.RPCError)) {
	c.connecting = source
	manager, threads := c.server.manager, c.server.manager.loads.Threads
	manager.setLoadThreads(4*c.server.options.CPUs, func() {
		source.connect()
		// In upstream the first poll runs while the threads are started and joined. So the poll
		// comes before the wait, even if the wait ends at once.
		begin := &timerqueue.Timer{Rank: timerqueue.StorePoll, Fn: func() {
			c.await(&wait{models: sortedNames(source.models), noun: "servable", done: func(err *env.RPCError) {
				manager.setLoadThreads(threads, func() { c.connected(source, err, done) })
			}})
		}}
		c.server.timers.Set(begin, c.server.timers.Now())
	})
}

// connected ends connectFirst. Without an error it keeps the source. After an error it closes the
// source, which waits for a poll in progress.
func (c *core) connected(source *source, err *env.RPCError, done func(*env.RPCError)) {
	if err == nil {
		c.connecting, c.source = nil, source
		done(nil)
		return
	}
	source.mu.Lock(func() {
		c.connecting = nil
		source.close()
		source.mu.Unlock()
		done(err)
	})
}

func (c *core) close() {
	for _, source := range []*source{c.source, c.connecting} {
		if source != nil {
			source.close()
		}
	}
}

// loadCustom loads a custom config by the option LoadCustomConfig. Without that option the process
// dies, as a stock server does by LOG(FATAL).
func (c *core) loadCustom(config modelconfig.ServerConfig, done func(*env.RPCError)) {
	if c.server.options.LoadCustomConfig == nil {
		c.server.errorf("ModelServer does not yet support custom model config.")
		c.server.exit(-6, "")
		return
	}
	done(c.server.options.LoadCustomConfig(config.Custom))
}
