//go:build amd64 || arm64

package vtime

// here returns two addresses of the calling goroutine: of its description in the runtime, and of
// the end of its stack.
func here() (self, stack uintptr)

// warm prefetches what a switch to a parked coroutine needs: the description of its goroutine, the
// end of its stack when it parked, and next. It does not read this memory, so it does no harm if
// the stack has moved since it parked. Without the prefetch, the processor would wait for each of
// these in turn at the switch.
//
//go:noescape
func warm(self, stack uintptr, next func() (struct{}, bool))
