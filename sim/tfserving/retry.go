package tfserving

import (
	"time"

	"github.com/monosim/monosim/engine/env"
)

// retry tries up to 1 + max_num_load_retries times and sleeps before each
// retry. A cancellation counts after a try: one that comes during the sleep
// still lets the next try happen (util/retrier.cc:27-54).
func (m *manager) retry(h *harness, try func(result func(*env.RPCError)), done func(*env.RPCError)) {
	tries := 0
	var once func()
	once = func() {
		try(func(err *env.RPCError) {
			tries++
			if err == nil || tries > m.server.options.MaxNumLoadRetries || h.cancelled {
				done(err)
				return
			}
			m.server.errorf("%s failed, try %d: %s", h.id, tries, err)
			interval := time.Duration(m.server.options.LoadRetryIntervalMicros) * time.Microsecond
			m.server.agenda.sleep(interval, once)
		})
	}
	once()
}
