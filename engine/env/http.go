package env

// HTTPConn is a connection of plain HTTP/1.1, as Python's http.client has it: after each Request
// come Status and then Body, before the next Request. Errors wrap one of package httperrors.
type HTTPConn interface {
	// Request sends a request, after connecting if the connection is not open. target is the path
	// with its query. Both method and target are sent as they are.
	Request(method, target string, body []byte) error
	// Status waits for the answer and returns its status.
	Status() (int, error)
	// Body returns the body of the answer. If the server ends the connection after it, the next
	// Request connects again.
	Body() ([]byte, error)
	// Close ends the connection; the next Request connects again.
	Close()
}
