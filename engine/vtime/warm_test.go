//go:build amd64 || arm64

package vtime

import (
	"iter"
	"testing"
)

// Goal: here returns the addresses of the coroutine that calls it. Method: they differ between two
// coroutines and the test, and repeat when asked again. Freed memory, and addresses that were never
// memory, may be warmed without harm.
func TestWarmedIsTheCoroutinesOwn(t *testing.T) {
	other := func() uintptr {
		next, stop := iter.Pull(func(yield func(uintptr) bool) {
			self, _ := here()
			yield(self)
		})
		defer stop()
		self, _ := next()
		return self
	}
	self, stack := here()
	again, stackAgain := here()
	if self == 0 || self != again || stack == 0 || stack != stackAgain {
		t.Errorf("found goroutine %#x with stack %#x, then %#x with %#x, want the same", self, stack, again, stackAgain)
	}
	if found := other(); found == self || found == 0 {
		t.Errorf("found goroutine %#x for a coroutine, that of the test is %#x", found, self)
	}
	warm(0, 0, nil)
	warm(^uintptr(0), 8, nil)
}
