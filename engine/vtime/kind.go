package vtime

import (
	"fmt"

	"github.com/monosim/monosim/engine/tasks"
)

// Kind says what an event is about, for traces and hashes. Kinds are made once,
// in package variables, by [NewKind].
type Kind uint16

var kindNames = []string{"none"}

// kindHashes are what the hash of a run has of each kind: of its name, as numbers differ
// between two programs of which one has more packages.
var kindHashes = []uint64{0}

// NewKind registers a kind of event under a name such as "zookeeper.request".
// It must be called from package initialisation only. Names of kinds differ, or the hash of
// a run does not tell them apart.
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

// The engine's own kinds. Their arguments count the waits of a task, which depend on leaps
// and say nothing: hashes and records do without.
var (
	kindStart   = NewKind("task.start")
	kindWake    = NewKind("task.wake")
	kindSleep   = NewKind("task.sleep")
	kindTimeout = NewKind("task.timeout")
	kindLookout = NewKind("task.lookout")
	kindReap    = NewKind("process.reap")
	kindLast    = kindReap
)
