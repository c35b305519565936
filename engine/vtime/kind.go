package vtime

import (
	"fmt"

	"github.com/monosim/monosim/engine/tasks"
)

// Kind says what an event is about, for traces and hashes. Kinds are made once,
// in package variables, by [NewKind].
type Kind uint16

var kindNames = []string{"none"}

// kindHashes maps each kind to the hash of its name. The hash of a run uses names because
// the numbers of kinds depend on which packages a program has.
var kindHashes = []uint64{0}

// NewKind registers a kind of event under a name such as "zookeeper.request". It must be
// called from package initialisation only. Names must differ, or the hash of a run cannot
// tell the kinds apart.
func NewKind(name string) Kind {
	kindNames = append(kindNames, name)
	kindHashes = append(kindHashes, tasks.Hash(name))
	return Kind(len(kindNames) - 1)
}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint16(k))
}

// The kinds of the engine's own events. Hashes and records leave their arguments out: these
// count the waits of a task, which depend on leaps.
var (
	kindStart   = NewKind("task.start")
	kindWake    = NewKind("task.wake")
	kindSleep   = NewKind("task.sleep")
	kindTimeout = NewKind("task.timeout")
	kindLookout = NewKind("task.lookout")
	kindReap    = NewKind("process.reap")
	kindLast    = kindReap
)
