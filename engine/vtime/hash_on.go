//go:build !vtime_without_hash

package vtime

// hashed says that there are hashes.
const hashed = true
