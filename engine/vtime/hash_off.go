//go:build vtime_without_hash

package vtime

// hashed is false in a build that measures what hashing costs (cmd/bench/engines). Hashes in its
// traces have no meaning.
const hashed = false
