//go:build !vtime_without_hash

package vtime

// hashed is true in normal builds, in which each event is folded into the hashes.
const hashed = true
