package tfserving

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
	"github.com/monosim/monosim/sim/tfserving/timerqueue"
)

// configPoll re-reads the model config file in a loop and reloads it, even when nothing has
// changed (TFS-10).
//
// A run is left out when it would only repeat the last one: the file is unchanged, no other
// reload stored a config since, and the last run did not fail at a step that may pass now.
// Such steps are the label step, which depends on the states of versions; a first config,
// for which upstream builds a new source each time (TFS-8.9); and the checks of the disk
// under the options of TFS-3.5.
type configPoll struct {
	server  *Server
	grid    timerqueue.Grid
	timer   timerqueue.Timer
	started bool
	busy    bool // busy is true while a run reads the file or reloads, which may never end
	// fileChanged records that the file changed during the present run.
	fileChanged bool
	unwatch     func()
	blind       bool // blind means that the file cannot be watched, so every run is needed
	// labelsFailed is true if the last run failed and its config had version labels.
	labelsFailed bool
}

func (p *configPoll) init(s *Server) {
	p.server = s
	p.timer = timerqueue.Timer{Rank: timerqueue.ConfigPoll, Fn: p.run}
	if seconds := s.options.ModelConfigFilePollWaitSeconds; seconds > 0 {
		p.grid.Interval = time.Duration(seconds)*time.Second + s.roundTime
	}
}

// start starts the polling loop, whose first run is immediate.
func (p *configPoll) start() {
	if p.grid.Interval <= 0 || p.server.configFile == "" {
		return
	}
	p.started = true
	cancel, ok := p.server.host.Watch(p.server.configFile, p.changed)
	p.unwatch, p.blind = cancel, !ok
	p.server.timers.Set(&p.timer, p.server.timers.Now())
}

func (p *configPoll) close() {
	if p.started && !p.blind {
		p.unwatch()
	}
	p.started = false
}

// changed schedules a run at the next polling time, because the config file has changed.
func (p *configPoll) changed() {
	if p.busy {
		p.fileChanged = true
		return
	}
	q := p.server.timers
	if !p.started || p.timer.Queued {
		return
	}
	q.Set(&p.timer, p.grid.Upcoming(q, timerqueue.ConfigPoll))
	if !q.Running {
		q.Arm()
	}
}

// reloaded is called when a reload, by RPC or by this loop, has stored its config. It schedules a
// run, because the file may now differ from the stored config.
func (p *configPoll) reloaded() {
	if !p.busy {
		p.changed()
	}
}

// heard is called at every change of a servable's state. If the last run failed because of version
// labels, it schedules a run, because the labelled versions may be available now.
func (p *configPoll) heard() {
	if p.labelsFailed && !p.busy {
		p.changed()
	}
}

func (p *configPoll) run() {
	p.grid.Began(p.server.timers.Now())
	p.busy, p.fileChanged, p.labelsFailed = true, false, false
	look(p.server, p.server.readConfigFile, func(file configFile) {
		if file.err != nil {
			p.busy = false
			p.server.errorf("Failed to read ModelServerConfig file: %s", file.err.Message)
			p.end(false)
			return
		}
		p.reload(file.config)
	})
}

func (p *configPoll) reload(config modelconfig.ServerConfig) {
	p.server.core.reload(config, func(err *env.RPCError) {
		p.busy = false
		if err != nil {
			p.server.errorf("PollFilesystemAndReloadConfig failed to ReloadConfig: %s", err.Message)
			p.labelsFailed = config.HasLabels()
		}
		o := p.server.options
		looks := err != nil && (o.FailIfZeroVersions || o.ServableVersionsAlwaysPresent)
		p.end(config.Kind == modelconfig.ModelList && p.server.core.source == nil || looks)
	})
}

// end ends a run. It schedules the next run if the file may have changed, or if again is true
// because a repetition may have another outcome.
func (p *configPoll) end(again bool) {
	q := p.server.timers
	if p.server.dead {
		return
	}
	if p.grid.Ended(q.Now()) {
		q.Set(&p.timer, q.Now())
		return
	}
	if again || p.fileChanged || p.blind || p.server.polls {
		p.changed()
	}
}
