package vtime

import (
	"iter"
	"runtime"
	"runtime/debug"
	"time"
)

func leave() []byte {
	next, stop := iter.Pull(func(func(int) bool) {})
	defer stop()
	next()
	if len(debug.Stack()) == 0 {
		runtime.Goexit()
	}
	runtime.Gosched() // want `runtime.Gosched in deterministic room engine/vtime`
	_ = time.Now()    // want `time.Now`
	return debug.Stack()
}
