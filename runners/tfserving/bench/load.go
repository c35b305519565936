package bench

import (
	"errors"
	"os"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Load is a call made over a number of connections.
//
// Without a Rate it is a closed loop: each connection keeps Window requests under way, and sends
// another for each answer. That measures how much a server can do; its latencies are those of a
// server that is never idle. With a Rate it is an open loop: requests are due at fixed instants,
// whether the server keeps up or not, and a latency counts from the instant at which the request
// was due. A server that stops for a while is then charged for all requests of that time.
// Latencies include delays of Go's timers, which may be a millisecond late on an idle machine.
type Load struct {
	Call          Call
	Conns, Window int
	// Rate is the number of requests a second over all connections. 0 means a closed loop, in
	// which each answer triggers the next request.
	Rate float64
}

// Length sets the length of a run. The run begins with the time Warm, in which answers are not
// counted. Then follows the time For, in which they are counted.
type Length struct {
	Warm, For time.Duration
}

// Measured holds the results of a run.
type Measured struct {
	// Sent counts all calls, including those during Length.Warm. Calls counts the calls answered
	// during Length.For.
	Sent      int64
	Calls     int64
	PerSecond float64
	// Latency is in nanoseconds.
	Latency *hdrhistogram.Histogram
}

// Run makes the calls and checks every answer. The first wrong answer ends the run with an
// error.
func (l Load) Run(addr string, length Length) (Measured, error) {
	runs := make([]*run, l.Conns)
	for i := range runs {
		c, err := dial(addr, &l.Call, l.Window)
		if err != nil {
			return Measured{}, err
		}
		defer c.close()
		runs[i] = &run{conn: c, latency: newHistogram(), from: length.Warm, until: length.Warm + length.For}
		if l.Rate > 0 {
			runs[i].every = time.Duration(float64(time.Second) * float64(l.Conns) / l.Rate)
		}
	}
	began := time.Now()
	errs := make([]error, l.Conns)
	var wg sync.WaitGroup
	for i, r := range runs {
		r.began = began
		wg.Go(func() { errs[i] = r.all() })
	}
	wg.Wait()
	m := Measured{Latency: newHistogram()}
	for _, r := range runs {
		m.Sent += int64(r.conn.sent)
		m.Calls += r.latency.TotalCount()
		m.Latency.Merge(r.latency)
	}
	m.PerSecond = float64(m.Calls) / length.For.Seconds()
	return m, errors.Join(errs...)
}

// longest is the largest latency that is recorded. Longer latencies count as longest.
const longest = time.Minute

func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(int64(time.Microsecond), int64(longest), 3)
}

// run is one connection's part of a load. Its times count from began.
type run struct {
	conn        *conn
	began       time.Time
	latency     *hdrhistogram.Histogram
	from, until time.Duration
	every       time.Duration // time between two requests; 0 in a closed loop
	next        time.Duration // time at which the next request is due
}

// all makes the whole run: it sends requests until the end of the run, and waits for the answers to
// those still in flight.
func (r *run) all() error {
	for {
		now := time.Since(r.began)
		if err := r.send(now); err != nil {
			return err
		}
		if r.next >= r.until && r.conn.inFlight == 0 {
			return nil
		}
		until, limit := r.patience(now)
		err := r.conn.receive(r.began.Add(until), r.answered)
		if err != nil && (limit || !errors.Is(err, os.ErrDeadlineExceeded)) {
			return err
		}
	}
}

// send sends the requests that are due, as far as the window allows.
func (r *run) send(now time.Duration) error {
	if r.every == 0 {
		r.next = now
	}
	for r.next <= now && r.next < r.until && r.conn.inFlight < r.conn.window {
		ok, err := r.conn.start(r.next)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		r.next += r.every
	}
	return r.conn.flush()
}

// patience returns until when to wait for answers. That is when the next request is due or,
// with limit set, when the answer limit is reached.
func (r *run) patience(now time.Duration) (until time.Duration, limit bool) {
	if r.next > now && r.next < r.until {
		return r.next, false
	}
	return now + answerLimit, true
}

// answerLimit is how long a run waits for any answer before it fails.
const answerLimit = 30 * time.Second

func (r *run) answered(started time.Duration) {
	now := time.Since(r.began)
	if now >= r.from && now < r.until {
		_ = r.latency.RecordValue(int64(min(now-started, longest))) // cannot fail: the value is within the histogram's range
	}
}
