package env

// HTTPConn is a plain HTTP/1.1 connection that works like Python's http.client. After each Request
// call Status and then Body before the next Request. Errors wrap one of the errors in package
// httperrors.
type HTTPConn interface {
	// Request sends a request, and first connects if the connection is not open. target is the path
	// with its query. method and target are sent unchanged.
	Request(method, target string, body []byte) error
	// Status waits for the answer and returns its status.
	Status() (int, error)
	// Body returns the body of the answer. If the server closes the connection after it, the next
	// Request connects again.
	Body() ([]byte, error)
	// Close closes the connection. The next Request connects again.
	Close()
}
