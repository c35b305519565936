package rest

import (
	"cmp"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// This file imitates what libevent does before and after the API: release 2.1.8 for tfs-2.4, 2.1.12
// for tfs-head. The two releases read requests in different ways, which the listener imitates.

type target struct {
	path string // path is the URI's path, with %-escapes
	full string // full is path, query and fragment; upstream calls it uri_path
}

// IsTarget reports whether libevent accepts uri as the target of a request.
func IsTarget(uri string) bool {
	_, ok := parseTarget(uri, false)
	return ok
}

// parseTarget parses a request target as libevent's evhttp_uri_parse_with_flags does. If strict is
// true, the target must follow RFC 3986. Otherwise the path, query and fragment may contain any
// byte (EVHTTP_URI_NONCONFORMANT).
func parseTarget(uri string, strict bool) (target, bool) {
	rest, hasScheme := cutScheme(uri)
	authority, hasAuthority := strings.CutPrefix(rest, "//")
	if hasAuthority {
		end := strings.IndexAny(authority+"/", "?#/")
		if !authorityOK(authority[:end]) {
			return target{}, false
		}
		rest = authority[end:]
	}
	path, tail := cutAt(rest, "?#", strict, pathByte)
	full := path
	for _, part := range []struct{ begin, ends string }{{"?", "#"}, {"#", ""}} {
		if strings.HasPrefix(tail, part.begin) {
			var text string
			text, tail = cutAt(tail[1:], part.ends, strict, queryByte)
			full += part.begin + text
		}
	}
	switch {
	case tail != "":
		return target{}, false
	case !hasAuthority && strings.HasPrefix(path, "//"):
		return target{}, false
	case hasAuthority && path != "" && path[0] != '/':
		return target{}, false
	case !hasScheme && strings.IndexAny(path+"/", ":/") < strings.IndexByte(path+"/", '/'):
		return target{}, false
	}
	return target{path: path, full: full}, true
}

// cutScheme removes a leading scheme, such as "http:", and reports whether there was one.
func cutScheme(uri string) (string, bool) {
	scheme, rest, found := strings.Cut(uri, ":")
	if !found || scheme == "" || !isAlpha(scheme[0]) {
		return uri, false
	}
	for i := range len(scheme) {
		if b := scheme[i]; !isAlpha(b) && !isDigit(b) && !strings.ContainsRune("+-.", rune(b)) {
			return uri, false
		}
	}
	return rest, true
}

// cutAt splits off the first part of a URI. The part ends at a byte in ends. If strict is true, it
// also ends at any byte that is not allowed.
func cutAt(text, ends string, strict bool, allowed func(byte) bool) (part, rest string) {
	i := 0
	for i < len(text) {
		switch {
		case !strict && !strings.ContainsRune(ends, rune(text[i])):
			i++
		case strict && allowed(text[i]):
			i++
		case strict && isEscape(text[i:]):
			i += 3
		default:
			return text[:i], text[i:]
		}
	}
	return text, ""
}

func pathByte(b byte) bool  { return unreserved(b) || strings.IndexByte(":@/", b) >= 0 }
func queryByte(b byte) bool { return pathByte(b) || b == '?' }

// unreserved reports whether a byte is one of RFC 3986's unreserved bytes or sub-delimiters.
func unreserved(b byte) bool {
	return isAlpha(b) || isDigit(b) || strings.IndexByte("-._~!$&'()*+,;=", b) >= 0
}

func isAlpha(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }
func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func isEscape(text string) bool {
	return len(text) >= 3 && text[0] == '%' && hexDigit(text[1]) >= 0 && hexDigit(text[2]) >= 0
}

func hexDigit(b byte) int {
	switch {
	case isDigit(b):
		return int(b - '0')
	case b|0x20 >= 'a' && b|0x20 <= 'f':
		return int(b|0x20-'a') + 10
	}
	return -1
}

// authorityOK reports whether text is a valid userinfo@host:port, as libevent's parse_authority
// does.
func authorityOK(text string) bool {
	if user, host, found := strings.Cut(text, "@"); found {
		if !allOf(user, func(b byte) bool { return unreserved(b) || b == ':' }) {
			return false
		}
		text = host
	}
	host := strings.TrimRight(text, "0123456789")
	if strings.HasSuffix(host, ":") {
		port := text[len(host):]
		if n, err := strconv.ParseUint(port, 10, 64); port != "" && (err != nil || n > 65535) {
			return false
		}
		text = host[:len(host)-1]
	}
	if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
		return bracketsOK(text[1 : len(text)-1])
	}
	return allOf(text, unreserved)
}

// bracketsOK reports whether a host in brackets is an IPv6 address or an IPvFuture.
func bracketsOK(text string) bool {
	if future, found := strings.CutPrefix(text, "v"); found {
		version, address, found := strings.Cut(future, ".")
		return found && version != "" && allOf(version, func(b byte) bool { return hexDigit(b) >= 0 }) &&
			allOf(address, func(b byte) bool { return unreserved(b) || b == ':' })
	}
	address, err := netip.ParseAddr(text)
	return err == nil && address.Is6() && address.Zone() == ""
}

// allOf reports whether a text consists of allowed bytes and %-escapes.
func allOf(text string, allowed func(byte) bool) bool {
	_, rest := cutAt(text, "", true, allowed)
	return rest == ""
}

// ErrorPage returns the HTML error page that libevent's evhttp_send_error writes. status must be
// one for which phrases has an entry.
func ErrorPage(status int) Response {
	const page = "<HTML><HEAD>\n<TITLE>%d %s</TITLE>\n</HEAD><BODY>\n<H1>%s</H1>\n</BODY></HTML>\n"
	return Response{
		Status: status, Reason: phrase(status),
		Body:   fmt.Appendf(nil, page, status, phrase(status), phrase(status)),
		Header: []Field{{"Content-Type", "text/html"}, {"Connection", "close"}},
	}
}

// phrases holds libevent's reason phrases by status. libevent has none for 429 and 499.
var phrases = map[int]string{
	200: "OK",
	400: "Bad Request",
	401: "Unauthorized",
	403: "Forbidden",
	404: "Not Found",
	409: "Conflict",
	413: "Request Entity Too Large",
	417: "Expectation Failed",
	500: "Internal Server Error",
	501: "Not Implemented",
	503: "Service Unavailable",
	504: "Gateway Time-out",
}

// phrase returns libevent's reason phrase for a status; "Client Error" for an unknown one.
func phrase(status int) string { return cmp.Or(phrases[status], "Client Error") }
