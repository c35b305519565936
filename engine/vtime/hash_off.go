//go:build vtime_without_hash

package vtime

// hashed is false in a build that measures what hashing costs (cmd/bench/engines). In such a build,
// the hashes of traces mean nothing.
const hashed = false
