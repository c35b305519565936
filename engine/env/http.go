package env

// HTTPConn is one connection of plain HTTP/1.1, as Python's http.client has it: one request
// after the other, each followed by Status and then Body. Errors wrap one of httperrors.
type HTTPConn interface {
	// Request connects, unless the connection is open, and sends a request. target is the path
	// with its query; it and method are sent as they are.
	Request(method, target string, body []byte) error
	// Status waits for the answer's status.
	Status() (int, error)
	// Body is what the answer says. When the server ends the connection after it, the next
	// Request connects again.
	Body() ([]byte, error)
	// Close ends the connection; the next Request connects again.
	Close()
}
