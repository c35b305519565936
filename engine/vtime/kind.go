package vtime

import "fmt"

// Kind says what an event is about, for traces and hashes. Kinds are made once,
// in package variables, by [NewKind].
type Kind uint16

var kindNames = []string{"none"}

// NewKind registers a kind of event under a name such as "zookeeper.request".
// It must be called from package initialisation only: the order of
// initialisation, and so the numbers, are the same in every run of a binary.
func NewKind(name string) Kind {
	kindNames = append(kindNames, name)
	return Kind(len(kindNames) - 1)
}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint16(k))
}

// The engine's own kinds.
var (
	kindStart   = NewKind("task.start")
	kindWake    = NewKind("task.wake")
	kindSleep   = NewKind("task.sleep")
	kindTimeout = NewKind("task.timeout")
	kindTurn    = NewKind("task.turn")
	kindReap    = NewKind("process.reap")
)
