package runner

import (
	"fmt"
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/training/rustport/psservice"
)

// These are the id, the barrier and the learning rate that a worker uses in its exchange with the
// PS.
const (
	sharedID       = 42
	firstBarrier   = "step0"
	barrierTimeout = 10 * time.Second
	learningRate   = 0.01
)

// NoPSError is returned by a worker that did not find all PS in time.
type NoPSError struct{ Got, Want int }

// Error returns the Rust port's text.
func (e *NoPSError) Error() string {
	return fmt.Sprintf("Timed out waiting for PS discovery: got %d expected %d", e.Got, e.Want)
}

// runWorker looks up embeddings, waits for the other workers at a barrier, and applies gradients.
func runWorker(e *env.Env, by Services, c Config) error {
	addrs, err := findPS(e, by, c)
	if err != nil {
		return err
	}
	client, err := psservice.Connect(e, addrs)
	if err != nil {
		return err
	}
	defer client.Close()
	ids := []int64{int64(c.Index), int64(c.Index), sharedID}
	if _, err := client.Lookup(c.Table, ids, c.Dim, true); err != nil {
		return err
	}
	if _, err := client.Barrier(firstBarrier, int32(c.Index), int32(c.NumWorkers), barrierTimeout); err != nil {
		return err
	}
	gradients := slices.Repeat([]float32{1}, len(ids)*int(c.Dim))
	_, _, err = client.ApplyGradients(c.Table, ids, gradients, c.Dim, learningRate)
	return err
}

// findPS returns the addresses of the configured number of PS. If there are more, it takes the
// first in alphabetical order. A failed query counts as a query that found no PS.
func findPS(e *env.Env, by Services, c Config) ([]string, error) {
	for attempt := 0; ; attempt++ {
		services, err := by.Discover(c.PSType)
		warn(e, "Discovery failed", err)
		addrs := lists.MapOrNil(services, Service.Address)
		slices.Sort(addrs)
		addrs = slices.Compact(addrs)
		if len(addrs) >= c.NumPS {
			return addrs[:c.NumPS], nil
		}
		if attempt == c.ConnectRetries {
			return nil, &NoPSError{Got: len(addrs), Want: c.NumPS}
		}
		e.Tasks.Sleep(c.RetryBackoff)
	}
}
