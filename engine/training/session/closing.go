package session

import (
	"maps"
	"math"
	"slices"
	"time"
)

// deleteLimit is how long closing a session waits for the servers that it notifies
// (MasterSession::DeleteWorkerSessions of master_session.cc).
const deleteLimit = 10 * time.Second

// failed remembers the devices of a call that has failed, whose servers have to clean up after it.
func (r *Remote) failed(places ...string) {
	for _, device := range places {
		if _, ok := r.addrs[device]; !ok {
			device = r.main
		}
		if !slices.Contains(r.unclean, device) {
			r.unclean = append(r.unclean, device)
		}
	}
}

// Close notifies servers of the end of the session, as TensorFlow's MasterSession does (TRN-8.12). It
// waits until each server can be reached at its address. First it notifies the servers whose calls have
// failed, and waits for [Servers.CallLimit] at most (0 means without limit). Then it notifies all
// servers of the cluster, and waits for 10 s at most.
func (r *Remote) Close() {
	end := time.Duration(math.MaxInt64)
	if limit := r.servers.CallLimit; limit > 0 {
		end = r.e.Clock.Elapsed() + limit
	}
	for _, device := range r.unclean {
		r.tell(device, end)
	}
	end = r.e.Clock.Elapsed() + deleteLimit
	for _, device := range slices.Sorted(maps.Keys(r.addrs)) {
		r.tell(device, end)
	}
}

// tell notifies the server of a device. It waits until the server can be reached or fails the call,
// until end at most. A notified server cancels its own calls to the process, and so notices a broken
// connection.
func (r *Remote) tell(device string, end time.Duration) {
	waits := func() bool {
		_, err := r.reach(r.addrs[device])
		if err == nil {
			delete(r.servers.stale, connection{r.e, r.addrs[device]})
		}
		return err != nil && r.waits(&call{}, err) && r.e.Clock.Elapsed() < end
	}
	if !waits() {
		return
	}
	if r.onWait != nil {
		defer r.onWait(device, false)()
	}
	for waits() {
		r.e.Tasks.Sleep(min(connectPoll, end-r.e.Clock.Elapsed()))
	}
}
