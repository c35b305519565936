package java

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// Host returns the host of a socket address as Java prints it, in brackets if it has colons. Numeric
// addresses are written anew, and "" is the loopback. Names stay as they are, and are not looked up
// (InetAddress.java getByName).
func Host(text string) string {
	if text == "" {
		return "localhost"
	}
	if addr, ok := numericV4(text); ok {
		return addr
	}
	addr, err := netip.ParseAddr(text)
	switch {
	case err != nil || addr.Is4():
		return text
	case addr.Is4In6():
		return addr.Unmap().String()
	}
	b := addr.As16()
	groups := make([]string, 8)
	for i := range groups {
		groups[i] = fmt.Sprintf("%x", uint16(b[2*i])<<8|uint16(b[2*i+1]))
	}
	text = strings.Join(groups, ":")
	if addr.Zone() != "" {
		text += "%" + addr.Zone()
	}
	return "[" + text + "]"
}

// numericV4 reads one to four decimal numbers, of which the last one takes the bytes that are left
// (IPAddressUtil.java textToNumericFormatV4).
func numericV4(text string) (addr string, ok bool) {
	parts := strings.Split(text, ".")
	if len(parts) > 4 {
		return "", false
	}
	var ip uint64
	for i, part := range parts {
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (5 - len(parts))
		}
		n, err := strconv.ParseUint(part, 10, 32)
		if err != nil || part[0] == '+' || n >= 1<<bits {
			return "", false
		}
		ip = ip<<bits | n
	}
	return netip.AddrFrom4([4]byte{byte(ip >> 24), byte(ip >> 16), byte(ip >> 8), byte(ip)}).String(), true
}

// IsSpecialHost reports whether a host of Host is the loopback or all interfaces.
func IsSpecialHost(host string) bool {
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && (addr.IsLoopback() || addr.IsUnspecified())
}

// Split splits text at a separator as String.split does: empty parts at the end are dropped, but for
// empty text, which is one part.
func Split(text, separator string) []string {
	parts := strings.Split(text, separator)
	for len(parts) > 1 && parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	if len(parts) == 1 && parts[0] == "" && text != "" {
		return nil
	}
	return parts
}
