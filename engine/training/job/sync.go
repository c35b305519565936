package job

import (
	"cmp"
	"fmt"

	"github.com/monosim/monosim/engine/training/parametersync"
	"github.com/monosim/monosim/engine/training/session"
)

// touched is a cluster that knows which training steps have reached a server.
type touched interface{ Touched(addr string) int64 }

// startBackend begins to watch where the model is served. A process does so before it has a server
// (estimator.py:286, estimator.py:437), and ends if ZooKeeper does not answer.
func (p *process) startBackend() (err error) {
	if _, ok := p.Servers.(touched); !ok {
		return session.Raise("UnimplementedError", "parameter_sync: found processes with a memory each, want those of one simulation: only there it is known which steps have touched a PS")
	}
	if p.Spec.UnifiedServing {
		p.backend = parametersync.Unified(p.e, p.Spec.BZID, p.ZooKeeper, p.Quirks)
	} else if p.backend, err = parametersync.Watched(p.e, parametersync.Watch{
		BZID: p.Spec.BZID, BaseName: p.Spec.BaseName, ZKServers: p.ZooKeeper, NumPS: p.Spec.PS, DCAware: p.Spec.DCAware, Quirks: p.Quirks,
	}); err != nil {
		return err
	}
	if err := p.backend.Start(); err != nil {
		return err
	}
	return p.backend.SubscribeModel(cmp.Or(p.Spec.SyncModel, p.Spec.Job))
}

// joinPS blocks a PS until the chief shuts it down. Meanwhile a loop pushes its parameters, if the
// job has a backend for that. The PS then waits for the loop's last round and pause before it ends
// (cpu_training.py:1771).
func (p *process) joinPS() error {
	if p.backend == nil {
		return p.awaitEnd()
	}
	loop := parametersync.Start(p.e, parametersync.Options{
		PS: p.Index, Backend: p.backend, Quirks: p.Quirks, Pushed: p.pushed,
		Take:  func() int64 { return p.Servers.(touched).Touched(p.addr) },
		Held:  func() bool { return p.Hazards.Stopped[p.Index] },
		Round: func(steps int64) { p.Happened("sync-round", "", fmt.Sprintf("%d steps", steps)) },
		Ended: func(err error) { p.Happened("sync-ended", "", err.Error()) },
	})
	if err := p.awaitEnd(); err != nil {
		return err
	}
	loop.Finish()
	p.backend.Stop()
	return nil
}

// pushed reports a push. The checks of freshness read its note to know how old the parameters of a
// serving PS are.
func (p *process) pushed(push parametersync.Push) {
	note := fmt.Sprintf("%d steps to %s", push.Steps, push.Model)
	if push.Err != nil {
		p.Happened("push-failed", push.Target, note+": "+push.Err.Error())
		return
	}
	p.Happened("pushed", push.Target, note)
}
