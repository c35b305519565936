package wire

import "github.com/monosim/monosim/sim/zookeeper"

// operations reads the records of a multi or multiRead up to the one that is
// marked as the end (ZK-8.1).
func (r *reader) operations() []zookeeper.Request {
	ops := []zookeeper.Request{}
	for {
		op, done := r.recordHeader()
		if done || r.why != "" {
			return ops
		}
		ops = append(ops, zookeeper.Request{Op: op})
		r.operation(&ops[len(ops)-1])
	}
}

func (r *reader) recordHeader() (op zookeeper.OpCode, done bool) {
	op = zookeeper.OpCode(r.int32())
	done = r.bool()
	r.int32()
	return op, done
}

func appendRecordHeader(b []byte, op zookeeper.OpCode, done bool, err int32) []byte {
	return appendInt(appendBool(appendInt(b, int32(op)), done), err)
}

func appendEndRecord(b []byte) []byte {
	return appendRecordHeader(b, zookeeper.OpError, true, -1)
}

func appendOperations(b []byte, ops []zookeeper.Request) []byte {
	for i := range ops {
		b = appendRecordHeader(b, ops[i].Op, false, -1)
		b = appendOperation(b, &ops[i])
	}
	return appendEndRecord(b)
}

// appendResults writes the records of an answer (ZK-8.2, ZK-8.3).
func appendResults(b []byte, results []zookeeper.Result) []byte {
	for i := range results {
		res := &results[i]
		if res.Op == zookeeper.OpError {
			b = appendRecordHeader(b, res.Op, false, int32(res.Err))
			b = appendInt(b, int32(res.Err))
			continue
		}
		b = appendRecordHeader(b, res.Op, false, 0)
		switch res.Op {
		case zookeeper.OpCreate:
			b = appendString(b, res.Path)
		case zookeeper.OpCreate2, zookeeper.OpCreateContainer, zookeeper.OpCreateTTL:
			b = appendStat(appendString(b, res.Path), &res.Stat)
		case zookeeper.OpSetData:
			b = appendStat(b, &res.Stat)
		case zookeeper.OpGetData:
			b = appendStat(appendBuffer(b, res.Data), &res.Stat)
		case zookeeper.OpGetChildren:
			b = appendStrings(b, res.Children)
		}
	}
	return appendEndRecord(b)
}

func (r *reader) results() []zookeeper.Result {
	results := []zookeeper.Result{}
	for {
		op, done := r.recordHeader()
		if done || r.why != "" {
			return results
		}
		results = append(results, r.result(op))
	}
}

func (r *reader) result(op zookeeper.OpCode) zookeeper.Result {
	res := zookeeper.Result{Op: op}
	switch op {
	case zookeeper.OpError:
		res.Err = zookeeper.Code(r.int32())
	case zookeeper.OpCreate:
		res.Path = r.string()
	case zookeeper.OpCreate2, zookeeper.OpCreateContainer, zookeeper.OpCreateTTL:
		res.Path, res.Stat = r.string(), r.stat()
	case zookeeper.OpSetData:
		res.Stat = r.stat()
	case zookeeper.OpGetData:
		res.Data, res.Stat = r.buffer(), r.stat()
	case zookeeper.OpGetChildren:
		res.Children = r.strings()
	case zookeeper.OpDelete, zookeeper.OpCheck:
	default:
		r.fail("record of unknown type")
	}
	return res
}
