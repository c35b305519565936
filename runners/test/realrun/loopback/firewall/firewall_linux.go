package firewall

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/google/nftables"
	"github.com/google/nftables/expr"
	"golang.org/x/sys/unix"
)

// Offsets and values in the header of a packet (RFC 791, RFC 793).
const (
	sourceAt, targetAt = 12, 16
	protocolAt, tcp    = 9, 6
	flagsAt, resetFlag = 13, 0x04
)

// tablePrefix is how the names of this program's nftables tables begin. The pid follows, so
// that a later process can recognize tables that were left behind.
const tablePrefix = "monosim-"

// tables counts the nftables tables of this process, to give each a name of its own.
var tables atomic.Int64

// ShutOff makes the kernel of this host drop all packets to and from a loopback address, until end is
// called. Connections stay open meanwhile, and continue at the next retransmission after the end. If
// refuse is set, the kernel answers packets with resets instead, which ends connections. Packets to and
// from the ports in keep pass: these belong to servers at other addresses, which the address calls. own
// lists further connections to stop, which the process has opened from an address that it shares with
// others. ShutOff needs root, and its error says which permission is missing.
func ShutOff(ip string, refuse bool, keep []int, own []Connection) (end func() error, err error) {
	addr := net.ParseIP(ip).To4()
	if addr == nil {
		return nil, fmt.Errorf("address: found %q, want one of IPv4", ip)
	}
	c, err := nftables.New()
	if err != nil {
		return nil, err
	}
	sweep(c)
	table := c.AddTable(&nftables.Table{
		Name:   fmt.Sprintf("%s%d-%d", tablePrefix, os.Getpid(), tables.Add(1)),
		Family: nftables.TableFamilyIPv4,
	})
	chain := c.AddChain(&nftables.Chain{
		Name: "lost", Table: table, Type: nftables.ChainTypeFilter,
		Hooknum: nftables.ChainHookInput, Priority: nftables.ChainPriorityFilter,
	})
	rule := func(verdict expr.Any, matches ...[]expr.Any) {
		c.AddRule(&nftables.Rule{Table: table, Chain: chain, Exprs: append(slices.Concat(matches...), verdict)})
	}
	pass, stop := &expr.Verdict{Kind: expr.VerdictAccept}, expr.Any(&expr.Verdict{Kind: expr.VerdictDrop})
	if refuse {
		stop = &expr.Reject{Type: unix.NFT_REJECT_TCP_RST}
		rule(pass, isTCP, isReset) // the answers themselves
	}
	from, to := header(expr.PayloadBaseNetworkHeader, sourceAt, addr), header(expr.PayloadBaseNetworkHeader, targetAt, addr)
	for _, port := range keep {
		number := binary.BigEndian.AppendUint16(nil, uint16(port))
		rule(pass, to, header(expr.PayloadBaseTransportHeader, 0, number))
		rule(pass, from, header(expr.PayloadBaseTransportHeader, 2, number))
	}
	for _, one := range own {
		// The rule names both ends, because another process may use the same port for another connection.
		near, far := one.Local, one.Remote
		rule(stop, isTCP, ends(near, sourceAt, 0), ends(far, targetAt, 2))
		rule(stop, isTCP, ends(far, sourceAt, 0), ends(near, targetAt, 2))
	}
	rule(stop, isTCP, to)
	rule(stop, isTCP, from)
	if err := c.Flush(); err != nil {
		return nil, fmt.Errorf("stop the packets of %s: %w", ip, err)
	}
	return func() error {
		c.DelTable(table)
		return c.Flush()
	}, nil
}

// ends matches packets of TCP that have an address and a port at the given offsets in their headers.
func ends(at netip.AddrPort, addrAt, portAt uint32) []expr.Any {
	return append(header(expr.PayloadBaseNetworkHeader, addrAt, at.Addr().AsSlice()),
		header(expr.PayloadBaseTransportHeader, portAt, binary.BigEndian.AppendUint16(nil, at.Port()))...)
}

// isTCP matches packets of TCP.
var isTCP = header(expr.PayloadBaseNetworkHeader, protocolAt, []byte{tcp})

// isReset matches packets of TCP that reset a connection.
var isReset = []expr.Any{
	&expr.Payload{DestRegister: unix.NFT_REG_1, Base: expr.PayloadBaseTransportHeader, Offset: flagsAt, Len: 1},
	&expr.Bitwise{SourceRegister: unix.NFT_REG_1, DestRegister: unix.NFT_REG_1, Len: 1, Mask: []byte{resetFlag}, Xor: []byte{0}},
	&expr.Cmp{Op: expr.CmpOpNeq, Register: unix.NFT_REG_1, Data: []byte{0}},
}

// ConnectionsTo lists a process's TCP connections from elsewhere to addresses that begin with prefix.
// It reads /proc.
func ConnectionsTo(pid int, prefix string) (list []Connection, err error) {
	held := map[string]bool{}
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		// fails if the descriptor has been closed in the meantime
		if target, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, entry.Name())); err == nil {
			held[strings.TrimSuffix(strings.TrimPrefix(target, "socket:["), "]")] = true
		}
	}
	for _, table := range []string{"tcp", "tcp6"} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, table))
		if errors.Is(err, fs.ErrNotExist) {
			continue // no IPv6
		}
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			fields := strings.Fields(line)
			if len(fields) < 10 || !held[fields[9]] {
				continue
			}
			local, remote := procAddr(fields[1]), procAddr(fields[2])
			if strings.HasPrefix(remote.Addr().String(), prefix) && !strings.HasPrefix(local.Addr().String(), prefix) {
				list = append(list, Connection{local, remote})
			}
		}
	}
	return list, nil
}

// procAddr parses an address of /proc/net/tcp: 32-bit words in the machine's byte order, and
// a port.
func procAddr(text string) netip.AddrPort {
	words, port, _ := strings.Cut(text, ":")
	number, _ := strconv.ParseUint(port, 16, 16) // cannot fail: the kernel has written the number
	last := words[max(0, len(words)-8):]         // the last word, in which a mapped IPv4 address is
	word, _ := strconv.ParseUint(last, 16, 32)
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte(binary.NativeEndian.AppendUint32(nil, uint32(word)))), uint16(number))
}

// header matches packets whose header has the given bytes at the given offset.
func header(base expr.PayloadBase, offset uint32, value []byte) []expr.Any {
	return []expr.Any{
		&expr.Payload{DestRegister: unix.NFT_REG_1, Base: base, Offset: offset, Len: uint32(len(value))},
		&expr.Cmp{Op: expr.CmpOpEq, Register: unix.NFT_REG_1, Data: value},
	}
}

// sweep looks for tables that killed processes have left behind. It marks them for deletion, which
// the next flush carries out.
func sweep(c *nftables.Conn) {
	left, err := c.ListTablesOfFamily(nftables.TableFamilyIPv4)
	if err != nil {
		return // the flush below fails as well, and says why
	}
	for _, t := range left {
		rest, ours := strings.CutPrefix(t.Name, tablePrefix)
		pid, _, _ := strings.Cut(rest, "-")
		if _, err := strconv.Atoi(pid); !ours || err != nil {
			continue
		}
		if _, err := os.Stat("/proc/" + pid); errors.Is(err, fs.ErrNotExist) {
			c.DelTable(t)
		}
	}
}
