//go:build amd64 || arm64

package vtime

import (
	"iter"
	"testing"
)

// Goal: what is warmed is the coroutine's own. Method: two coroutines and the test are
// told apart, each is the same when asked again, and memory that is gone, or never was, may
// be warmed.
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
