package session

import (
	"maps"
	"math"
	"slices"
	"time"
)

// deleteLimit is how long closing a session waits for servers that it tells of its end
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

// Close tells servers of the end of the session, as TensorFlow's MasterSession does (TRN-8.12). First
// come those of calls that have failed, for [Servers.CallLimit]: if calls wait for servers, it waits
// until each can be reached at its address. Then come all servers of the cluster, for 10 s at most.
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

// tell waits until the server of a device can be reached or fails the call, until end at most. A
// server that is told gives up what it asks of the process, and so hears of a connection that is gone.
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
