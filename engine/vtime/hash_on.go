//go:build !vtime_without_hash

package vtime

// hashed is true in normal builds: events are folded into hashes.
const hashed = true
