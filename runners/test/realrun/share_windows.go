package realrun

import "syscall"

// sharePort does nothing: Windows has no SO_REUSEPORT, and gRPC does without it there.
func sharePort(_, _ string, _ syscall.RawConn) error { return nil }
