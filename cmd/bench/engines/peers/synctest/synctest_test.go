// Package synctest measures goroutines that sleep in a bubble of testing/synctest.
//
// It is compiled by go test -c. What is to be done comes from the environment, as
// the binary of a test has flags of its own: ENGINES_N goroutines, and ENGINES_EVENTS
// sleeps of all of them together.
package synctest

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// quantiles holds quantiles of the exponential distribution with mean 1. The last quantile would
// be infinite, so a finite value stands for the tail.
var quantiles = func() (q [1025]float64) {
	for i := range 1024 {
		q[i] = -math.Log(1 - float64(i)/1024)
	}
	q[1024] = q[1023] + 2
	return q
}()

// draws is the random generator for the delays of one goroutine. It gives the same delays as the
// generator in ../../own/draws.go.
type draws uint64

func newDraws(i int) draws {
	x := uint64(i+1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return draws(x ^ x>>31)
}

func (s *draws) delay() time.Duration {
	*s = *s*6364136223846793005 + 1442695040888963407
	i := *s >> 54
	x := quantiles[i] + float64(*s>>22&0xffffffff)/(1<<32)*(quantiles[i+1]-quantiles[i])
	return 1 + time.Duration(x*float64(time.Second))
}

// wall reads the machine's clock. It cannot use time.Now, which returns the virtual time of the
// synctest bubble.
func wall(t *testing.T) int64 {
	var tv syscall.Timeval
	if err := syscall.Gettimeofday(&tv); err != nil {
		t.Fatal(err)
	}
	return tv.Nano()
}

// sleeper is one goroutine's state, padded to a cache line of its own. With GOMAXPROCS above 1,
// goroutines that are due at the same instant run in parallel.
type sleeper struct {
	draws draws
	count int64
	_     [48]byte
}

func TestSleepers(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("ENGINES_N"))
	if err != nil {
		t.Skip("ENGINES_N is no number")
	}
	events, err := strconv.Atoi(os.Getenv("ENGINES_EVENTS"))
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		timed := time.Duration(float64(time.Second) * float64(events) / float64(n))
		over := false // only written while all other goroutines sleep
		var all sync.WaitGroup
		sleepers := make([]sleeper, n)
		total := func() (sum int64) {
			for i := range sleepers {
				sum += sleepers[i].count
			}
			return sum
		}
		for i := range sleepers {
			sleepers[i].draws = newDraws(i)
			s := &sleepers[i]
			all.Go(func() {
				for !over {
					time.Sleep(s.draws.delay())
					s.count++
				}
			})
		}
		time.Sleep(timed / 10)
		before, start := total(), wall(t)
		time.Sleep(timed)
		took := wall(t) - start
		fmt.Printf("measured version=%s events=%d ns=%d\n", strings.TrimPrefix(runtime.Version(), "go"), total()-before, took)
		over = true
		all.Wait()
	})
}
