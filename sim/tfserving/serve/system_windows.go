package serve

import (
	"os"
	"syscall"
)

func (d *disk) readNames(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names, err
}

func present(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// sharePort does nothing, because on Windows only one server can listen on a port.
func sharePort(_, _ string, _ syscall.RawConn) error { return nil }
