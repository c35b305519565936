package serve

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// httpRequest is one request as libevent hands it on.
type httpRequest struct {
	method, target string
	minor          int // of HTTP/1.minor
	headers        httpHeaders
	body           []byte
}

// httpHeaders are headers in their order.
type httpHeaders [][2]string

// get is the first value of a header, or "".
func (h httpHeaders) get(name string) string {
	for _, header := range h {
		if strings.EqualFold(header[0], name) {
			return header[1]
		}
	}
	return ""
}

// keepsAlive says whether the connection stays open after the answer.
func (r *httpRequest) keepsAlive() bool {
	connection := r.headers.get("Connection")
	if r.minor == 0 {
		return strings.HasPrefix(strings.ToLower(connection), "keep-alive")
	}
	return !strings.EqualFold(connection, "close")
}

// maxHeaderBytes bounds what a client can make us keep before a request is
// whole; libevent has no bound.
const maxHeaderBytes = 1 << 20

// errBadRequest is a request that libevent answers with 400.
var errBadRequest = errors.New("bad request")

// readRequest reads the next request of a connection. An error that is not
// errBadRequest means that there is none.
func readRequest(in *bufio.Reader, goOn func() error) (*httpRequest, error) {
	r := &httpRequest{minor: 1}
	left := maxHeaderBytes
	line, err := readLine(in, &left)
	if err != nil {
		return r, err
	}
	if err := r.parseLine(line); err != nil {
		return r, err
	}
	if err := r.readHeaders(in, &left); err != nil {
		return r, err
	}
	return r, r.readBody(in, goOn)
}

// readLine reads up to the end of a line, which CR LF or LF is.
func readLine(in *bufio.Reader, left *int) (string, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if *left -= len(part); *left < 0 {
			return "", errBadRequest
		}
		if err == nil {
			return strings.TrimSuffix(string(line[:len(line)-1]), "\r"), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return "", err
		}
	}
}

// parseLine reads "GET /path HTTP/1.1".
func (r *httpRequest) parseLine(line string) error {
	line = strings.TrimRight(line, " ")
	method, rest, _ := strings.Cut(line, " ")
	space := strings.LastIndexByte(rest, ' ')
	if len(line) < len("GET / HTTP/1.0") || space <= 0 {
		return errBadRequest
	}
	var major int
	version := rest[space+1:]
	if n, _ := fmt.Sscanf(version, "HTTP/%d.%d", &major, &r.minor); n != 2 || major > 1 || major < 0 || r.minor < 0 ||
		version != fmt.Sprintf("HTTP/%d.%d", major, r.minor) {
		r.minor = 1
		return errBadRequest
	}
	r.method, r.target = method, rest[:space]
	return nil
}

func (r *httpRequest) readHeaders(in *bufio.Reader, left *int) error {
	for {
		line, err := readLine(in, left)
		switch {
		case err != nil:
			return err
		case line == "":
			return nil
		case line[0] == ' ' || line[0] == '\t':
			if len(r.headers) == 0 {
				return errBadRequest
			}
			last := &r.headers[len(r.headers)-1]
			last[1] += " " + strings.Trim(line, " \t")
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return errBadRequest
		}
		r.headers = append(r.headers, [2]string{name, strings.Trim(value, " \t")})
	}
}

// readBody reads what Content-Length or chunks say there is; goOn tells a client
// that asks for it to send the body.
func (r *httpRequest) readBody(in *bufio.Reader, goOn func() error) error {
	if r.method == "HEAD" || r.method == "TRACE" {
		return nil
	}
	chunked := strings.EqualFold(r.headers.get("Transfer-Encoding"), "chunked")
	length, err := r.contentLength()
	if err != nil || !chunked && length == 0 {
		return err
	}
	if strings.EqualFold(r.headers.get("Expect"), "100-continue") && r.minor >= 1 && in.Buffered() == 0 {
		if err := goOn(); err != nil {
			return err
		}
	}
	if chunked {
		return r.readChunks(in)
	}
	r.body, err = readExactly(in, length)
	return err
}

func (r *httpRequest) contentLength() (int64, error) {
	text := r.headers.get("Content-Length")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, errBadRequest
	}
	return n, nil
}

func (r *httpRequest) readChunks(in *bufio.Reader) error {
	for {
		left := maxHeaderBytes
		line, err := readLine(in, &left)
		if err != nil {
			return err
		}
		text, _, _ := strings.Cut(line, ";")
		n, err := strconv.ParseInt(strings.TrimSpace(text), 16, 64)
		if err != nil || n < 0 {
			return errBadRequest
		}
		if n == 0 {
			return r.readTrailer(in)
		}
		chunk, err := readExactly(in, n)
		if err != nil {
			return err
		}
		r.body = append(r.body, chunk...)
		if line, err := readLine(in, &left); err != nil || line != "" {
			return errors.Join(err, errBadRequest)
		}
	}
}

func (r *httpRequest) readTrailer(in *bufio.Reader) error {
	left := maxHeaderBytes
	for {
		line, err := readLine(in, &left)
		if err != nil || line == "" {
			return err
		}
	}
}

// readExactly grows with what comes, not with what was announced.
func readExactly(in io.Reader, n int64) ([]byte, error) {
	var b bytes.Buffer
	if _, err := io.CopyN(&b, in, n); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
