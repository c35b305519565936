package job

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/engine/training/hooks"
	"github.com/monosim/monosim/engine/training/rustport/psservice"
	"github.com/monosim/monosim/engine/training/session"
)

// psPoll is the interval at which a PS checks whether it must end, and checks its memory.
const psPoll = time.Second

// defaultRSSBytes is the memory of a PS unless a fault sets a different one.
const defaultRSSBytes = 1 << 20

// servePS starts the server of a PS, which also implements the service of TRN-4.2.
func (p *process) servePS() error {
	service := psservice.New(p.e, psservice.Options{ShardID: int32(p.Index), Dim: 64, DefectiveBarrier: p.Spec.DefectivePSBarrier})
	return p.serve(service.Handle)
}

// queue returns the variable with which the chief shuts down a PS (cpu_training.py:1702).
func queue(index int) *session.Variable {
	return &session.Variable{Name: fmt.Sprintf("ps_queue_%d", index), Device: hooks.PSDevice(index), First: false}
}

// awaitEnd blocks a PS until the chief shuts it down (cpu_training.py:1719).
func (p *process) awaitEnd() error {
	own := p.Servers.Local(p.addr)
	info, end := hooks.PSMachineInfo(p.Index, hooks.PSDevice(p.Index)), queue(p.Index)
	rss := int64(0)
	polls := threading.NewBeat(p.e.Tasks, "ps.poll", []time.Duration{psPoll}, func(int) bool {
		ends, err := session.Get[bool](own, session.Read(end))
		return err == nil && !ends && p.rssBytes() == rss
	})
	defer own.Tell(end, polls.Changes)()
	defer p.Hazards.Tell(polls.Changes)()
	for {
		if now := p.rssBytes(); now != rss {
			health, err := hooks.CheckMachineHealth(now, p.Spec.PSMemoryLimit)
			if err != nil {
				return err
			}
			if err := session.Do(own, session.Assign(info, health)); err != nil {
				return err
			}
			rss = now
		}
		ends, err := session.Get[bool](own, session.Read(end))
		if err != nil || ends {
			return err
		}
		polls.Run(0)
	}
}

func (p *process) rssBytes() int64 {
	if n, ok := p.Hazards.RSSBytes[p.Index]; ok {
		return n
	}
	return defaultRSSBytes
}
