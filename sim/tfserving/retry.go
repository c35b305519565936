package tfserving

import (
	"time"

	"github.com/monosim/monosim/engine/env"
)

// retry tries up to 1 + max_num_load_retries times and sleeps before each
// retry. A cancellation counts after a try: one that comes during the sleep
// still lets the next try happen (util/retrier.cc:27-54). The number is unsigned
// there and one more than it wraps: -1 tries once, -2 for ever.
func (m *manager) retry(what string, h *harness, try func(result func(*env.RPCError)), done func(*env.RPCError)) {
	tries, most := uint32(0), uint32(m.server.options.MaxNumLoadRetries)+1
	var once func()
	once = func() {
		try(func(err *env.RPCError) {
			tries++
			if err == nil {
				done(nil)
				return
			}
			m.server.errorf("%s: %s failed: %s", what, h.id, m.server.profile.StatusString(err))
			if tries >= most || h.cancelled {
				done(err)
				return
			}
			interval := time.Duration(m.server.options.LoadRetryIntervalMicros) * time.Microsecond
			m.server.timers.Sleep(interval, once)
		})
	}
	once()
}
