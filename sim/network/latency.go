package network

import "time"

// LatencyModel says how long messages take from one host to another. Every choice in
// it follows from the seed of the world. The zero value of a field has the meaning
// that its comment gives; [DefaultLatency] is the usual data centre.
type LatencyModel struct {
	// Min and Spread give the one-way latency between hosts: Min plus a choice from [0, Spread).
	Min, Spread time.Duration
	// LoopbackMin and LoopbackSpread are the same inside one host.
	LoopbackMin, LoopbackSpread time.Duration
	// LossPerMille is how many of 1000 segments between hosts are lost. Each loss delays by
	// a retransmission, 200 ms the first time and twice as long each further time.
	LossPerMille int
	// BytesPerSecond bounds what a host can send; 0 means no limit.
	BytesPerSecond int64
}

// law returns the range of latencies: [min, min + spread).
func (m *LatencyModel) law(local bool) (min, spread time.Duration) {
	if local {
		return m.LoopbackMin, m.LoopbackSpread
	}
	return m.Min, m.Spread
}

// DefaultLatency returns 200 to 500 µs between hosts, 20 to 30 µs inside one, no loss and
// no limit of bandwidth.
func DefaultLatency() LatencyModel {
	return LatencyModel{
		Min: 200 * time.Microsecond, Spread: 300 * time.Microsecond,
		LoopbackMin: 20 * time.Microsecond, LoopbackSpread: 10 * time.Microsecond,
	}
}

// These constants of Linux's TCP show in time.
const (
	// rtoMin is the first retransmission time-out (TCP_RTO_MIN); it doubles with
	// each retransmission up to rtoMax (TCP_RTO_MAX).
	rtoMin = 200 * time.Millisecond
	rtoMax = 120 * time.Second
	// giveUpAfter is how long data stays unacknowledged before the connection is
	// dropped: 15 retransmissions (net.ipv4.tcp_retries2).
	giveUpAfter = 924600 * time.Millisecond
	// synRTO is the first retransmission time-out of a SYN; six retransmissions
	// (net.ipv4.tcp_syn_retries) make dialAfter.
	synRTO    = time.Second
	dialAfter = 127 * time.Second
	// maxLosses bounds how often one segment is lost in a row.
	maxLosses = 15
)
