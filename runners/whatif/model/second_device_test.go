package model_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// The accelerator of a dense container in the second simulator.

// drawnDevice is the device of a random plan.
type drawnDevice struct {
	processes, items  int // number of server processes, and the largest number of items of a request
	times, pauses     [][2]float64
	newSize, first    float64
	link, bytes       float64 // bytes per second of the link, and bytes of a piece of weights
	pieces            int     // number of pieces of the weights of a process
	perPiece          float64
	waitFrom          int
	pageable, publish bool
	nothing, noFirsts bool // without pauses; without the extra time of first batches
}

const weights = 1e9 // of a process

// onDevice lets batches of some plans be computed on a device.
func (d *drawn) onDevice(r *rand.Rand, chance func(float64) bool) {
	if !d.batched || d.mixed || !chance(0.85) {
		return
	}
	e := &drawnDevice{processes: 1 + r.IntN(3), items: 1 + r.IntN(12), nothing: chance(0.3), noFirsts: chance(0.3), pageable: chance(0.2), waitFrom: 1 + r.IntN(8)}
	d.device = e
	d.most = e.items + r.IntN(30)
	at, time := 1.0, 1e-3*(0.3+2*r.Float64())
	for range 2 + r.IntN(3) {
		e.times = append(e.times, [2]float64{at, time})
		at, time = math.Ceil(at*(1.5+4*r.Float64())), time+2e-3*r.Float64()
	}
	at, time = 1e-3*r.Float64(), 0
	for range 2 + r.IntN(2) {
		e.pauses = append(e.pauses, [2]float64{at, time})
		at, time = at*(2+10*r.Float64()), time+2e-3*r.Float64()
	}
	e.newSize, e.first = 10e-3*r.Float64(), 0.5*r.Float64()
	e.link, e.pieces, e.perPiece = 1e9*(2+20*r.Float64()), 1+r.IntN(1+r.IntN(20)), 1e-3*r.Float64()
	e.bytes = math.Ceil(weights / float64(e.pieces))
	d.rate = math.Min(d.rate, float64(d.dense.replicas)*0.9/line(e.times, float64(e.items+1)/2))
	if d.scale > 0 || chance(0.3) {
		return
	}
	d.traffic, d.slow, d.evacuate, d.kill = 0, 0, false, ""
	if e.publish = chance(0.6); !e.publish {
		d.kill, d.refuse, d.restart = "dense", chance(0.5), 0.3*r.Float64()
	}
}

// processes returns how many server processes a dense container has.
func (d *drawn) processes() int {
	if d.device == nil {
		return 1
	}
	return d.device.processes
}

// String returns the keys of service.dense for the device.
func (e *drawnDevice) String() string {
	points := func(list [][2]float64, unit string, scale float64) string {
		var parts []string
		for _, p := range list {
			parts = append(parts, fmt.Sprintf("%.9g%s=%.9gms", p[0]*scale, unit, p[1]*1e3))
		}
		return fmt.Sprintf("\"points(%s)\"", strings.Join(parts, ", "))
	}
	keys := []string{fmt.Sprintf("processes: %d", e.processes), fmt.Sprintf("link: %.0fB/s", e.link), fmt.Sprintf("piece: %.0fB", e.bytes), fmt.Sprintf("per_piece: %.9gms", e.perPiece*1e3)}
	if !e.nothing {
		keys = append(keys, "pause: "+points(e.pauses, "ms", 1e3))
	}
	if !e.noFirsts {
		keys = append(keys, fmt.Sprintf("new_size: %.9gms, first: %.9gms", e.newSize*1e3, e.first*1e3))
	}
	if e.pageable {
		keys = append(keys, "weights: pageable")
	} else {
		keys = append(keys, fmt.Sprintf("wait_from: %d", e.waitFrom))
	}
	return fmt.Sprintf("batch: %s, device: {%s}", points(e.times, "", 1), strings.Join(keys, ", "))
}

// line returns the value at x on the line through points. It is level before the first, and goes on behind the last.
func line(points [][2]float64, x float64) float64 {
	k := 1
	for k < len(points)-1 && x > points[k][0] {
		k++
	}
	a, b := points[k-1], points[k]
	if x <= a[0] {
		return a[1]
	}
	return math.Max(0, a[1]+(b[1]-a[1])*(x-a[0])/(b[0]-a[0]))
}

func (e *drawnDevice) piece() float64 { return e.bytes/e.link + e.perPiece }

// copied returns how long the weights of all processes are on the link.
func (e *drawnDevice) copied() float64 {
	all := weights * float64(e.processes)
	return all/e.link + math.Ceil(all/e.bytes)*e.perPiece
}

// deviceState is what the device of a container is at.
type deviceState struct {
	*drawnDevice
	idle        float64        // time since which it is idle, or at which it was so last
	from, until float64        // start and end of the copy of weights that is in progress
	fresh       []bool         // for each process, whether it has computed nothing since it started
	known       []map[int]bool // for each process, the numbers of items that it has computed; nil if all count as computed
}

// anew makes all numbers of items new, after a start or, if warm, after a load.
func (e *deviceState) anew(warm bool) {
	e.until = 0
	for k := range e.known {
		e.known[k], e.fresh[k] = map[int]bool{}, !warm
	}
}

// furnish gives a dense container its device, and its roll-over.
func (s *second) furnish(c *container) {
	e := s.drawn.device
	if e == nil {
		return
	}
	c.cpu = &cpu{s: s, cores: 1}
	c.device = &deviceState{drawnDevice: e, known: make([]map[int]bool, e.processes), fresh: make([]bool, e.processes)}
	if !e.publish {
		return
	}
	// the process finds the version at one of its looks, which come every second, and then reads it
	begins := s.from + s.r.Float64() + float64(e.processes)*1e-3
	ends := begins + e.copied()
	if !e.pageable {
		s.after(begins, func() { c.device.from, c.device.until = begins, ends })
	}
	s.after(ends, func() { c.device.anew(true) })
}

// compute begins a batch on the device once its input is there.
func (c *container) compute(all *stage, f *feed, items int) {
	e, s := c.device, c.cpu.s
	all.left = line(e.times, float64(items))
	busy, process := 0, 0
	for k, one := range c.feeds {
		busy += one.used
		if one == f {
			process = k
		}
	}
	if !e.nothing && busy == 1 {
		all.left += line(e.pauses, math.Min(s.now-e.idle, e.pauses[len(e.pauses)-1][0]))
	}
	if known := e.known[process]; known != nil && !e.noFirsts {
		if e.fresh[process] {
			all.left += e.first
			e.fresh[process] = false
		}
		if !known[items] {
			all.left += e.newSize
			known[items] = true
		}
	}
	if items >= e.waitFrom && !e.pageable && s.now >= e.from && s.now < e.until {
		lives := c.deaths
		c.working = append(c.working, all)
		s.after(math.Min(e.piece()-math.Mod(s.now-e.from, e.piece()), e.until-s.now), func() {
			if c.deaths == lives {
				c.working = slices.DeleteFunc(c.working, func(one *stage) bool { return one == all })
				c.begin(all)
			}
		})
		return
	}
	c.begin(all)
}
