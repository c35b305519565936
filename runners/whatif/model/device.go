package model

import (
	"math"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// device is the state of a container's accelerator. Its methods may be called on nil, for a
// container without one.
type device struct {
	idle  int64 // time at which the device finished its last batch
	from  int64 // time at which weights began to be copied to it
	until int64 // time at which the copy ends
	// seen holds, for each process, a bitmap of the batch sizes in items that the process has
	// computed. Bit 0 says that it has computed any batch. If seen is nil, all sizes count as
	// computed.
	seen [][]uint64
}

// onDevice makes a tier compute its batches on an accelerator, which acts as a single core.
func (t *Tier) onDevice(p *plan.Plan, d *plan.Device) {
	t.Cores, t.Overhead = 1, 0
	t.Shared = t.working() > 1
	t.Device = &Device{Pause: d.Pause.Law, NewSizeNs: float64(d.NewSize), FirstNs: float64(d.First), WaitFrom: float64(d.WaitFrom)}
	if d.Link > 0 {
		t.Interference = 0
		if d.Weights == "pinned" {
			t.Device.PieceNs = int64(d.OnePiece(p.ModelBytes("dense")))
		}
	}
}

// counts reports whether the time of a batch depends on what its process has computed before.
func (d *Device) counts() bool { return d != nil && (d.NewSizeNs > 0 || d.FirstNs > 0) }

// up resets the device when its container starts: none of the processes has computed anything yet.
func (d *device) up(t *Tier) {
	if d == nil {
		return
	}
	d.until = 0
	if !t.Device.counts() {
		return
	}
	d.seen = make([][]uint64, t.Batch.Processes)
	for k := range d.seen {
		d.seen[k] = make([]uint64, t.Batch.MaxItems/64+1)
	}
}

// anew forgets which batch sizes the processes have computed, because they have computed nothing
// yet with the new version. That a process has already computed its first batch is not forgotten.
func (d *device) anew(t *Tier) {
	if d == nil {
		return
	}
	d.up(t)
	for _, bits := range d.seen {
		bits[0] = 1
	}
}

// more returns by how many nanoseconds a batch takes longer because of the device's pause before
// it, and because its process computes a batch of this size, or any batch, for the first time.
func (d *device) more(w *world, s *server, b *batch, t *Device) float64 {
	more := 0.0
	if !t.Pause.IsZero() {
		running := int32(0)
		for k := range s.feeds {
			running += s.feeds[k].busy
		}
		if running == 1 { // only this batch
			// a longer pause counts like the longest that the plan names
			more = t.Pause.MeanOf(math.Min(float64(w.now-d.idle), t.Pause.At[len(t.Pause.At)-1]))
		}
	}
	if d.seen == nil {
		return more
	}
	bits := d.seen[b.process]
	if bits[0]&1 == 0 {
		more += t.FirstNs
		bits[0] |= 1
	}
	size := max(1, min(int(b.items), w.spec.Tiers[Dense].Batch.MaxItems))
	if bit := uint64(1) << (size % 64); bits[size/64]&bit == 0 {
		more += t.NewSizeNs
		bits[size/64] |= bit
	}
	return more
}

// waits returns for how many nanoseconds a batch's input has to wait, because a piece of weights is
// being copied to the device.
func (d *device) waits(w *world, b *batch, t *Device) int64 {
	if t.PieceNs == 0 || b.items < t.WaitFrom || w.now < d.from || w.now >= d.until {
		return 0
	}
	return min(t.PieceNs-(w.now-d.from)%t.PieceNs, d.until-w.now)
}

// pieceDone starts a batch when the piece of weights that its input waited for has been copied. If
// the container has died, it drops the batch.
func (w *world) pieceDone(arg uint64) {
	i, gen := unhandle(arg)
	b := &w.batches[i]
	switch {
	case b.gen != gen:
	case b.epoch != w.servers[b.server].epoch:
		w.batchDone(arg)
	default:
		w.beginBatch(i, b.work)
	}
}
