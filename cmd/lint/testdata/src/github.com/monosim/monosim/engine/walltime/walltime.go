package walltime

import (
	"sync"
	"time"
)

// Wall time is made of the host's clock, goroutines and locks.
func run(mu *sync.Mutex, m map[string]int) []string {
	done := make(chan struct{})
	go func() { time.Sleep(1); close(done) }()
	select {
	case <-done:
	case <-time.After(time.Second):
	}
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	return keys
}
