package vtime

import (
	"fmt"

	"github.com/monosim/monosim/engine/tasks"
)

// Kind says what an event is about, in traces and hashes. A program makes each kind once with
// [NewKind], in a package variable.
type Kind uint16

var kindNames = []string{"none"}

// kindHashes holds the hash of each kind's name. The hash of a run uses names, because a kind's
// number depends on which packages a program imports.
var kindHashes = []uint64{0}

// NewKind registers a kind of event under a name such as "zookeeper.request". Call it from package
// initialisation only. Each name must be unique, because the hash of a run tells kinds apart by
// their names.
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

// These are the kinds of the engine's own events. Hashes and records leave out their arguments, the
// numbers of waits, because those depend on how many steps were leapt over.
var (
	kindStart   = NewKind("task.start")
	kindWake    = NewKind("task.wake")
	kindSleep   = NewKind("task.sleep")
	kindTimeout = NewKind("task.timeout")
	kindLookout = NewKind("task.lookout")
	kindReap    = NewKind("process.reap")
	kindLast    = kindReap
)
