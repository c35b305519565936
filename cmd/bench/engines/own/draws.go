package main

import (
	"math"
	"time"
)

// quantiles holds 1025 quantiles of the exponential distribution with mean 1. The last quantile
// would be infinite, so a finite value stands for the tail.
var quantiles = func() (q [1025]float64) {
	for i := range 1024 {
		q[i] = -math.Log(1 - float64(i)/1024)
	}
	q[1024] = q[1023] + 2
	return q
}()

// draws is the random generator for the delays of one model. It is a linear congruential generator
// that interpolates between two quantiles, so that a draw costs about the same in every language.
type draws uint64

func newDraws(i int) draws {
	x := uint64(i+1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return draws(x ^ x>>31)
}

// delay draws an exponentially distributed delay, with a mean of 1 s.
func (s *draws) delay() time.Duration {
	*s = *s*6364136223846793005 + 1442695040888963407
	i := *s >> 54
	x := quantiles[i] + float64(*s>>22&0xffffffff)/(1<<32)*(quantiles[i+1]-quantiles[i])
	return 1 + time.Duration(x*float64(time.Second))
}
