package vtime

// Coroutines keeps the coroutines of closed worlds for later worlds. These then need not make
// coroutines, nor grow their stacks. The zero value is empty. A nil one keeps none.
type Coroutines struct{ free []*coro }

// mostKept is the most coroutines that Coroutines keeps.
const mostKept = 256

// take removes a coroutine; nil if there is none.
func (k *Coroutines) take() *coro {
	if k == nil || len(k.free) == 0 {
		return nil
	}
	last := len(k.free) - 1
	c := k.free[last]
	k.free = k.free[:last]
	return c
}

// give keeps a coroutine if it is parked without a task, and otherwise ends it.
func (k *Coroutines) give(c *coro) {
	if k == nil || c.task != nil || len(k.free) == mostKept {
		c.stop()
		return
	}
	c.w = nil
	k.free = append(k.free, c)
}

// Close ends the coroutines. No world may be using any of them at that time.
func (k *Coroutines) Close() {
	for _, c := range k.free {
		c.stop()
	}
	k.free = nil
}
