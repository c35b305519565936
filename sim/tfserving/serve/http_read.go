package serve

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/monosim/monosim/sim/tfserving/rest"
)

// maxHeaderBytes limits the size of a request's headers in bytes, so that a client cannot exhaust
// memory. libevent has no such limit.
const maxHeaderBytes = 1 << 20

// requestReader reads the requests of one connection as libevent does (TFS-13.6; http.c of
// releases 2.1.8 and 2.1.12).
type requestReader struct {
	in  *bufio.Reader
	out io.Writer // out receives "100 Continue"
	old bool
}

// read reads the next request. An error of type refusal must be answered with an error page. After
// any other error the connection has no further requests.
func (p *requestReader) read() (*httpRequest, error) {
	r := &httpRequest{old: p.old}
	left := maxHeaderBytes
	line, err := p.line(&left)
	if err != nil {
		return r, err
	}
	if err := r.parseLine(line); err != nil {
		return r, err
	}
	if err := p.headers(r, &left); err != nil {
		return r, err
	}
	return r, p.body(r)
}

// line reads one line, which ends in CR LF or LF, and subtracts its length from left.
func (p *requestReader) line(left *int) (string, error) {
	var line []byte
	for {
		part, err := p.in.ReadSlice('\n')
		line = append(line, part...)
		if *left -= len(part); *left < 0 {
			return "", refusal(400)
		}
		if err == nil {
			return strings.TrimSuffix(string(line[:len(line)-1]), "\r"), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return "", err
		}
	}
}

// parseLine parses a line such as "GET /path HTTP/1.1" (evhttp_parse_request_line). If it fails,
// the fields that are already set affect the error response.
func (r *httpRequest) parseLine(line string) error {
	cut := cutLine
	if r.old {
		cut = cutLineOld
	}
	method, target, version, ok := cut(line)
	if !ok {
		return refusal(400)
	}
	r.method = method
	major, minor, ok := scanVersion(version)
	if !ok {
		return refusal(400)
	}
	r.major, r.minor, r.target = major, minor, target
	if !rest.IsTarget(r.apiTarget()) {
		r.target = ""
		return refusal(400)
	}
	return nil
}

// cutLine splits a request line as libevent 2.1.12 does. The line must have at least three words.
// method is the first word, version the last, and target the text between them. Spaces may end the
// line.
func cutLine(line string) (method, target, version string, ok bool) {
	line = strings.TrimRight(line, " ")
	if len(line) < len("GET / HTTP/1.0") {
		return "", "", "", false
	}
	method, rest, _ := strings.Cut(cString(line), " ")
	space := strings.LastIndexByte(rest, ' ')
	if space <= 0 {
		return "", "", "", false
	}
	return method, rest[:space], rest[space+1:], true
}

// cutLineOld splits a request line as libevent 2.1.8 does. The line must have exactly three words,
// separated by single spaces.
func cutLineOld(line string) (method, target, version string, ok bool) {
	words := strings.Split(cString(line), " ")
	if len(words) != 3 {
		return "", "", "", false
	}
	return words[0], words[1], words[2], true
}

// scanVersion parses "HTTP/1.1". The major version is at most 1. libevent keeps only the low byte
// of each number.
func scanVersion(text string) (major, minor int, ok bool) {
	rest, found := strings.CutPrefix(text, "HTTP/")
	if !found {
		return 0, 0, false
	}
	major, rest, ok = scanInt(rest)
	if !ok || !strings.HasPrefix(rest, ".") {
		return 0, 0, false
	}
	minor, rest, ok = scanInt(rest[1:])
	return int(int8(major)), int(int8(minor)), ok && rest == "" && major <= 1
}

// headers reads header lines up to the empty line (evhttp_parse_headers_).
func (p *requestReader) headers(r *httpRequest, left *int) error {
	for {
		line, err := p.line(left)
		if err != nil {
			return err
		}
		line = cString(line)
		if line == "" {
			return nil
		}
		if !r.headers.add(line) {
			return refusal(400)
		}
	}
}

// add appends a header line, or a continuation of the last header. It returns false for a
// malformed line.
func (h *httpHeaders) add(line string) bool {
	if line[0] == ' ' || line[0] == '\t' {
		if len(*h) == 0 {
			return false
		}
		last := &(*h)[len(*h)-1]
		last[1] += " " + strings.Trim(line, " \t")
		return true
	}
	name, value, ok := strings.Cut(line, ":")
	value = strings.TrimRight(strings.TrimLeft(value, " "), " \t")
	if !ok || strings.Contains(name, "\r") || !continues(value) {
		return false
	}
	*h = append(*h, [2]string{name, value})
	return true
}

// continues reports whether a header value is valid: each CR in it must be followed by a blank, as
// if the value continued on the next line.
func continues(value string) bool {
	for {
		_, rest, found := strings.Cut(value, "\r")
		if !found {
			return true
		}
		value = strings.TrimLeft(rest, "\r")
		if value == "" || value[0] != ' ' && value[0] != '\t' {
			return false
		}
	}
}

// goOn sends "100 Continue" to a client that waits for it before sending its body.
func (p *requestReader) goOn(r *httpRequest) error {
	_, err := fmt.Fprintf(p.out, "HTTP/%d.%d 100 Continue\r\n\r\n", r.major, r.minor)
	return err
}
