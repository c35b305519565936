// Package firewall stops packets of loopback addresses in the kernel of this host, by nf_tables. So a
// server can be unreachable, or seem to refuse, although it runs and notices nothing.
//
// Two things to use first:
//
//   - [ShutOff] loses the packets of an address, or has them answered by resets, until its end.
//   - [ConnectionsTo] lists the connections that a process has to addresses.
//
// Where to change what: the rules and the table of connections are in firewall_linux.go; what other
// systems say is in firewall_other.go.
//
// Unstable: any commit may change it.
package firewall

import "net/netip"

// Connection is the two ends of a connection of TCP, as the process sees them that made it.
type Connection struct{ Local, Remote netip.AddrPort }
