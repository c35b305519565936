package serve

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

// body reads the request's body, by Content-Length or by chunks (evhttp_get_body).
func (p *requestReader) body(r *httpRequest) error {
	if !r.mayHaveBody() {
		return nil
	}
	chunked := strings.EqualFold(r.headers.get("Transfer-Encoding"), "chunked")
	length, ok := int64(0), true
	if !chunked {
		if length, ok = r.contentLength(); !ok {
			return refusal(400)
		}
		if length == 0 {
			return nil
		}
	}
	if err := p.meetExpectation(r); err != nil {
		return err
	}
	if chunked {
		return p.chunks(r)
	}
	body, err := readExactly(p.in, length)
	r.body = body
	return err
}

// contentLength returns the length of the body in bytes, or 0 without the header. ok is false for a
// request that must be refused. libevent 2.1.8 refuses a request without the header if its
// Connection header is not "close".
func (r *httpRequest) contentLength() (n int64, ok bool) {
	text, given := r.headers.find("Content-Length")
	if !given {
		connection, named := r.headers.find("Connection")
		return 0, !named || !r.old || strings.EqualFold(connection, "close")
	}
	n, rest := scanLong(text, 10)
	return n, text != "" && rest == "" && n >= 0
}

// meetExpectation answers the header Expect: 100-continue. HTTP/1.0 does not have this header.
func (p *requestReader) meetExpectation(r *httpRequest) error {
	expected, given := r.headers.find("Expect")
	switch {
	case !given || !r.atLeast11():
		return nil
	case !strings.EqualFold(expected, "100-continue"):
		return refusal(417)
	case p.in.Buffered() == 0:
		return p.goOn(r)
	}
	return nil
}

// chunks reads the chunks of a body and the trailing headers (evhttp_handle_chunked_read).
// libevent reports every error in them as "too long".
func (p *requestReader) chunks(r *httpRequest) error {
	for {
		n, err := p.chunkLength()
		if err != nil {
			return err
		}
		if n == 0 {
			left := maxHeaderBytes
			return tooLong(p.headers(r, &left))
		}
		chunk, err := readExactly(p.in, n)
		if err != nil {
			return err
		}
		r.body = append(r.body, chunk...)
	}
}

// chunkLength reads the length of the next chunk. It skips empty lines before the length, and
// ignores the text after a space.
func (p *requestReader) chunkLength() (int64, error) {
	for {
		left := maxHeaderBytes
		line, err := p.line(&left)
		if err != nil {
			return 0, tooLong(err)
		}
		line = cString(line)
		if line == "" {
			continue
		}
		n, rest := scanLong(line, 16)
		if n < 0 || rest != "" && rest[0] != ' ' {
			return 0, refusal(413)
		}
		return n, nil
	}
}

func tooLong(err error) error {
	if errors.As(err, new(refusal)) {
		return refusal(413)
	}
	return err
}

// readExactly reads n bytes. It allocates memory only for bytes that arrive, because a client may
// announce a huge n.
func readExactly(in io.Reader, n int64) ([]byte, error) {
	var b bytes.Buffer
	if _, err := io.CopyN(&b, in, n); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
