package env

// StatusQuery asks a server for the versions of a model, without a time limit.
type StatusQuery struct {
	Server ModelServer
	Spec   ModelSpec
}

// Statuses polls a fixed list of status queries.
type Statuses interface {
	// From makes the queries from the i-th on, one after the other as a loop of Status
	// does, and returns the index and the answer of the one that it ended with: the
	// first that fails or for whose answer usual reports false, or the last. It may end
	// with an earlier one; the caller then goes on with the next. usual must not wait
	// nor call env.
	From(i int, usual func(i int, versions []ModelVersionStatus) bool) (at int, versions []ModelVersionStatus, err error)
}

// StatusesMaker is an optional interface of a ModelServers that can poll more cheaply
// than a loop of Status does, with the same requests.
type StatusesMaker interface {
	// NewStatuses reports false when it knows no cheaper way for these queries.
	NewStatuses(queries []StatusQuery) (Statuses, bool)
}

// NewStatuses makes the Statuses of these queries, in this order, in the cheapest way
// that models has. Their servers were dialed through models.
func NewStatuses(models ModelServers, queries []StatusQuery) Statuses {
	if m, ok := models.(StatusesMaker); ok {
		if s, ok := m.NewStatuses(queries); ok {
			return s
		}
	}
	return plainStatuses(queries)
}

// plainStatuses ends with each query.
type plainStatuses []StatusQuery

func (s plainStatuses) From(i int, _ func(int, []ModelVersionStatus) bool) (int, []ModelVersionStatus, error) {
	versions, err := s[i].Server.Status(s[i].Spec, 0)
	return i, versions, err
}
