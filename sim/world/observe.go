package world

import (
	"strings"
	"time"

	"github.com/monosim/monosim/sim/zookeeper"
)

// Observation is one thing that happened.
type Observation struct {
	At   time.Duration
	Host string
	// Op names it: "zookeeper.create", "modelserver.state", "process.start", ...
	Op   string
	Path string
	Note string
}

func (w *World) observe(host, op, path, note string) {
	if w.spec.Observe != nil {
		w.spec.Observe(Observation{At: w.engine.Now(), Host: host, Op: op, Path: path, Note: note})
	}
}

// wrote is told of every write of ZooKeeper.
func (w *World) wrote(write zookeeper.Write) {
	if w.spec.Observe == nil {
		return
	}
	note := ""
	switch {
	case write.Err != zookeeper.CodeOK:
		note = zookeeper.CodeName(write.Err)
	case write.Ephemeral:
		note = "ephemeral"
	}
	if write.Of == zookeeper.OpCloseSession && write.Op == zookeeper.OpDelete {
		note = "with its session"
	}
	w.observe(w.zk.HostOf(write.Session), "zookeeper."+write.Op.String(), write.Path, note)
}

// flags shortens a command line to its flags.
func flags(args []string) string { return strings.Join(args[1:], " ") }
