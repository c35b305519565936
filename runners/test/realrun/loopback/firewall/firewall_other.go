//go:build !linux

package firewall

import "errors"

// ShutOff returns an error, because it works on Linux only.
func ShutOff(string, bool, []int, []Connection) (end func() error, err error) {
	return nil, errors.New("found no nf_tables, want Linux")
}

// ConnectionsTo finds no connections, because it works on Linux only.
func ConnectionsTo(int, string) (list []Connection, err error) { return nil, nil }
