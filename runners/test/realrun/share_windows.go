package realrun

import "syscall"

// sharePort does nothing, because Windows has no SO_REUSEPORT and gRPC does not need it there.
func sharePort(_, _ string, _ syscall.RawConn) error { return nil }
