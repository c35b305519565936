package agentconfig

import (
	"strings"
	"unicode"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// ZKPath holds the parts of a service znode's path (utils.py:817-866):
//
//	/<bzid>/service/<base_name>[/<idc>:<cluster>]/<server_type>:<index>[/<replica_id>]
//
// All parts are None for a path of another form.
type ZKPath struct {
	Path       string
	Bzid       pysem.OptString
	BaseName   pysem.OptString
	IDC        pysem.OptString
	Cluster    pysem.OptString
	ServerType pysem.OptString
	Index      pysem.OptString // decimal digits of any script
	ReplicaID  pysem.OptString // decimal digits of any script
}

// ParseZKPath splits a path into its parts. It never fails: a path of another form only has Path
// set.
func ParseZKPath(e *env.Env, path string) ZKPath {
	p := matchZKPath(path)
	if !p.Bzid.Set && path != "" {
		logf(e, env.Info, "[INFO] path not matched: %s", path)
	}
	return p
}

func matchZKPath(path string) ZKPath {
	p := ZKPath{Path: path}
	// In Python's pattern, $ also matches before a final newline.
	rest, ok := strings.CutPrefix(strings.TrimSuffix(path, "\n"), "/")
	if !ok {
		return p
	}
	parts := strings.Split(rest, "/")
	if len(parts) < 4 || len(parts) > 6 || parts[1] != "service" || !isName(parts[0]) || !isName(parts[2]) {
		return p
	}
	bzid, base, tail := parts[0], parts[2], parts[3:]
	var idc, cluster pysem.OptString
	// A part such as "1:2" can be a location or a task. It is a location only if a task follows it.
	if len(tail) >= 2 {
		if i, c, ok := splitLocation(tail[0]); ok {
			if _, _, isTask := splitTask(tail[1]); isTask {
				idc, cluster = pysem.Some(i), pysem.Some(c)
				tail = tail[1:]
			}
		}
	}
	serverType, index, ok := splitTask(tail[0])
	if !ok || len(tail) > 2 || len(tail) == 2 && !isDigits(tail[1]) {
		return p
	}
	p.Bzid, p.BaseName, p.IDC, p.Cluster = pysem.Some(bzid), pysem.Some(base), idc, cluster
	p.ServerType, p.Index = pysem.Some(serverType), pysem.Some(index)
	if len(tail) == 2 {
		p.ReplicaID = pysem.Some(tail[1])
	}
	return p
}

// Attribute returns the part that has the given name in the reference. Another name is an
// AssertionError (utils.py:834).
func (p ZKPath) Attribute(name string) (pysem.OptString, error) {
	switch name {
	case "bzid":
		return p.Bzid, nil
	case "base_name":
		return p.BaseName, nil
	case "idc":
		return p.IDC, nil
	case "cluster":
		return p.Cluster, nil
	case "server_type":
		return p.ServerType, nil
	case "index":
		return p.Index, nil
	case "replica_id":
		return p.ReplicaID, nil
	case "task":
		return p.Task(), nil
	case "location":
		return p.Location(), nil
	}
	return pysem.OptString{}, &pysem.Error{Type: "AssertionError"}
}

// Task returns "<server_type>:<index>", None for a path of another form.
func (p ZKPath) Task() pysem.OptString {
	if !p.ServerType.Set || !p.Index.Set {
		return pysem.OptString{}
	}
	return pysem.Some(p.ServerType.V + ":" + p.Index.V)
}

// Location returns "<idc>:<cluster>", None for a path without it.
func (p ZKPath) Location() pysem.OptString {
	if !p.IDC.Set || !p.Cluster.Set {
		return pysem.OptString{}
	}
	return pysem.Some(p.IDC.V + ":" + p.Cluster.V)
}

// ShipIn reports whether the path belongs to the given location. If idc or cluster is None, it
// returns true for every path (utils.py:862).
func (p ZKPath) ShipIn(idc, cluster pysem.OptString) bool {
	return !idc.Set || !cluster.Set || idc == p.IDC && cluster == p.Cluster
}

func splitLocation(part string) (idc, cluster string, ok bool) {
	idc, cluster, _ = strings.Cut(part, ":")
	return idc, cluster, isName(idc) && isName(cluster)
}

func splitTask(part string) (serverType, index string, ok bool) {
	serverType, index, _ = strings.Cut(part, ":")
	return serverType, index, isWord(serverType) && isDigits(index)
}

// isName reports whether text matches [-_0-9A-Za-z]+.
func isName(text string) bool {
	for i := range len(text) {
		c := text[i]
		if c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return text != ""
}

// isWord reports whether text matches Python's \w+, which includes letters and digits of every
// script.
func isWord(text string) bool {
	for _, r := range text {
		if !pysem.IsWordChar(r) {
			return false
		}
	}
	return text != ""
}

// isDigits reports whether text matches Python's \d+.
func isDigits(text string) bool {
	for _, r := range text {
		if !unicode.Is(unicode.Nd, r) {
			return false
		}
	}
	return text != ""
}
