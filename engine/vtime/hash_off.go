//go:build vtime_without_hash

package vtime

// hashed is false in a build that measures the cost of hashing (cmd/bench/engines). The
// hashes in its traces mean nothing.
const hashed = false
