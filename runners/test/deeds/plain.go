package deeds

import (
	"bytes"
	"encoding/json"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"
)

var (
	address    = regexp.MustCompile(`\b(\d{1,3}(?:\.\d{1,3}){3})(:\d+)?\b`)
	address6   = regexp.MustCompile(`\[([0-9a-fA-F:.]*)(%[\w.-]+)?\](:\d+)`)
	temporary  = regexp.MustCompile(`/tmp/tmp[0-9a-z_]{8}`)
	checkpoint = regexp.MustCompile(`(/model\.ckpt-)\d+$`)
	version    = regexp.MustCompile(`/\d{10}$`)
	portFlag   = regexp.MustCompile(`^(-{1,2}\w*port)=\d+$`)
)

// nameAddresses replaces addresses by the names of their pods and drops ports. The host's
// own addresses become "localhost".
func nameAddresses(text string, pods map[string]string) string {
	text = address6.ReplaceAllStringFunc(text, func(found string) string {
		return "[" + nameAddress6(address6.FindStringSubmatch(found)[1], pods) + "]:port"
	})
	return address.ReplaceAllStringFunc(text, func(found string) string {
		ip, _, hasPort := strings.Cut(found, ":")
		name := pods[ip]
		switch {
		case name == "" && (ip == "127.0.0.1" || ip == "0.0.0.0"):
			name = "localhost"
		case name == "":
			name = ip
		}
		if hasPort {
			name += ":port"
		}
		return name
	})
}

// nameAddress6 names an IPv6 address. It returns a pod's name, or "localhost" for an address of
// this machine, which an agent in a real process may find by itself. Any other address is returned
// in its shortest form.
func nameAddress6(text string, pods map[string]string) string {
	ip, err := netip.ParseAddr(text)
	switch {
	case err != nil:
		return text
	case pods[ip.String()] != "":
		return pods[ip.String()]
	case ip.IsUnspecified(), ip.IsLoopback(), ip.IsLinkLocalUnicast(), slices.Contains(ownAddresses6(), ip):
		return "localhost"
	}
	return ip.String()
}

// ownAddresses6 returns the IPv6 addresses of this machine.
var ownAddresses6 = sync.OnceValue(func() (own []netip.Addr) {
	found, err := net.InterfaceAddrs()
	if err != nil {
		// without the machine's addresses an own IPv6 address is not renamed, and so shows as a
		// difference from the simulation
		return nil
	}
	for _, a := range found {
		if network, ok := a.(*net.IPNet); ok && network.IP.To4() == nil {
			if ip, ok := netip.AddrFromSlice(network.IP); ok {
				own = append(own, ip)
			}
		}
	}
	return own
})

// plainData brings the data of a znode into a form that can be compared. It sorts the keys of JSON
// objects, even in JSON that is inside of a JSON string. In data that is not JSON, it replaces
// names of temporary files.
func plainData(data string) string {
	value, ok := parse(data)
	if !ok {
		return temporary.ReplaceAllString(data, "TEMPORARY")
	}
	out, err := json.Marshal(value)
	if err != nil {
		return data
	}
	return temporary.ReplaceAllString(string(out), "TEMPORARY")
}

// plainExport removes from a training job's path what depends on time: the step of a checkpoint,
// and the timestamp that names an export.
func plainExport(path string) string {
	return version.ReplaceAllString(checkpoint.ReplaceAllString(path, "${1}STEP"), "/VERSION")
}

// parse reads a JSON object or list. It returns false for any other text.
func parse(text string) (any, bool) {
	if text = strings.TrimSpace(text); text == "" || text[0] != '{' && text[0] != '[' {
		return nil, false
	}
	var value any
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	if d.Decode(&value) != nil || d.More() {
		return nil, false
	}
	return inner(value), true
}

// inner replaces each string that holds JSON by the parsed JSON, at every depth of a value.
func inner(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			v[key] = inner(v[key])
		}
	case []any:
		for i := range v {
			v[i] = inner(v[i])
		}
	case string:
		if parsed, ok := parse(v); ok {
			return parsed
		}
	}
	return value
}

// plainFlags brings a command line into a form that can be compared: flags are sorted by name,
// other words keep their order, and ports and names of temporary files are replaced.
func plainFlags(line string) string {
	var flags, words []string
	for _, word := range strings.Fields(line) {
		word = portFlag.ReplaceAllString(temporary.ReplaceAllString(word, "TEMPORARY"), "$1=port")
		if strings.HasPrefix(word, "-") {
			flags = append(flags, word)
		} else {
			words = append(words, word)
		}
	}
	slices.Sort(flags)
	return strings.Join(append(flags, words...), " ")
}

// flagValue returns the value of a flag in a command line, "" if it is missing.
func flagValue(line, flag string) string {
	for _, word := range strings.Fields(line) {
		name, value, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if name == flag && strings.HasPrefix(word, "-") {
			return value
		}
	}
	return ""
}
