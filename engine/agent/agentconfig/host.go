package agentconfig

import (
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// LocalIP returns the address by which others reach this host (utils.py:1145-1167). That is
// MY_HOST_IP or, if the variable is unset, the address of the host's name. If this is a name of the
// loopback or the look-up fails, it is the local address of a socket to the outside, or else
// "localhost".
func LocalIP(e *env.Env) string {
	// utils.py:1147: the name is looked up even if the variable is set. If the look-up fails, the
	// variable is ignored (Q119).
	ip, err := e.Host.LookupIP()
	if err == nil {
		if v, ok := e.Host.LookupEnv("MY_HOST_IP"); ok {
			ip = v
		}
		if isOutside(ip) {
			return ip
		}
	} else {
		logf(e, env.Warning, "[Errno -2] Name or service not known")
	}
	ip, err = e.Host.RouteIP()
	if err != nil {
		logf(e, env.Warning, "[Errno 101] Network is unreachable")
	} else if isOutside(ip) {
		return ip
	}
	return "localhost"
}

func isOutside(ip string) bool { return ip != "" && ip != "localhost" && ip != "127.0.0.1" }

// IsIPv6Only reports whether the host has no IPv4 address (zk_utils.py:36-48). If any of
// MY_HOST_IP, MY_POD_IP and MY_HOST_IPV6 is set, the first two decide, even an empty MY_HOST_IP.
// Otherwise the host's name decides.
func IsIPv6Only(e *env.Env) bool {
	ip, where := ownAddress(e)
	only := ip.V == ""
	logf(e, env.Info, "%s tce env, ipv4 address is %s", where, ip)
	logf(e, env.Info, "is_ipv6_only is %s", pysem.Repr(only))
	return only
}

// ownAddress returns the host's IPv4 address, and for the log whether it comes from variables or
// from a look-up.
func ownAddress(e *env.Env) (ip pysem.OptString, where string) {
	hostIP, hasHostIP := e.Host.LookupEnv("MY_HOST_IP")
	podIP, hasPodIP := e.Host.LookupEnv("MY_POD_IP")
	_, hasIPv6 := e.Host.LookupEnv("MY_HOST_IPV6")
	switch {
	case hasHostIP:
		return pysem.Some(hostIP), "in"
	case hasPodIP:
		return pysem.Some(podIP), "in"
	case hasIPv6:
		return pysem.OptString{}, "in"
	}
	found, err := e.Host.LookupIP()
	if err != nil {
		return pysem.OptString{}, "not in"
	}
	return pysem.Some(found), "not in"
}

// DefaultZKServers returns the address list for an unset zk_servers. It is always empty, because
// the open-source build knows no hosts (zk_utils.py:49-55). If useIPv6 is false, it still looks up
// and logs which addresses the host has.
func DefaultZKServers(e *env.Env, useIPv6 bool) string {
	if !useIPv6 {
		IsIPv6Only(e)
	}
	return ""
}

// checkZKServers rejects IPv4 servers on a host without IPv4 (utils.py:796-814). The reference
// would fall back on default hosts, but there are none, so it always raises (Q171).
func checkZKServers(servers string, ipv6Only bool) error {
	if servers == "" || !ipv6Only {
		return nil
	}
	for addr := range strings.SplitSeq(servers, ",") {
		if colon := strings.LastIndexByte(addr, ':'); colon >= 0 && isDottedQuad(addr[:colon]) {
			return pysem.Raise("Exception", "the host is is ipv6 only, but zk_servers specified is ipv4")
		}
	}
	return nil
}

func isDottedQuad(host string) bool {
	items := strings.Split(host, ".")
	for _, item := range items {
		if !pysem.IsNumeric(item) {
			return false
		}
	}
	return len(items) == 4
}

// IsAbs reports whether a path is absolute. utils.py replaces os.path.isabs by a function for which
// paths on HDFS are absolute, too (utils.py:61).
func IsAbs(path string) bool {
	return strings.HasPrefix(path, "/") || strings.HasPrefix(path, "hdfs:/")
}

// EnvOr returns a variable, or fallback when it is unset, as os.environ.get(key, fallback) does.
func EnvOr(host env.Host, key, fallback string) string {
	if v, ok := host.LookupEnv(key); ok {
		return v
	}
	return fallback
}
