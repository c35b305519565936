package env

// StatusQuery asks a server for the versions of a model, without a time limit.
type StatusQuery struct {
	Server ModelServer
	Spec   ModelSpec
}

// Statuses makes the same status queries again and again.
type Statuses interface {
	// From makes the queries from the i-th on, one after the other as a loop of Status
	// does. It ends with the first that fails, or whose answer is not usual, or with
	// the last, and returns the index of that query and its answer. It may end earlier.
	// usual neither waits nor calls env.
	From(i int, usual func(i int, versions []ModelVersionStatus) bool) (at int, versions []ModelVersionStatus, err error)
}

// StatusesMaker is what ModelServers may also be: it has a cheaper way than a loop,
// with the same requests.
type StatusesMaker interface {
	// NewStatuses reports false when it has none for these queries.
	NewStatuses(queries []StatusQuery) (Statuses, bool)
}

// NewStatuses makes the queries of servers that were dialed through models.
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
