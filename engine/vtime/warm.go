//go:build amd64 || arm64

package vtime

// here returns where the goroutine that calls is described and where its stack ends.
func here() (self, stack uintptr)

// warm begins to load what a switch to a parked coroutine needs: the description of its
// goroutine, the end of its stack as it was when it parked, and next. It reads none of it,
// so it does no harm when the stack has moved since. A processor knows nothing of a
// coroutine before the switch to it, and then waits for each of these in turn.
//
//go:noescape
func warm(self, stack uintptr, next func() (struct{}, bool))
