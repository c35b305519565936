//go:build vtime_without_hash

package vtime

// hashed is false in a build that measures what hashes cost: cmd/bench/engines. Its
// traces say nothing.
const hashed = false
