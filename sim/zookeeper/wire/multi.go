package wire

import "github.com/monosim/monosim/sim/zookeeper"

// operations reads the operations of a multi or multiRead. It stops at the record that marks their
// end (ZK-8.1), or at the first operation that cannot be decoded. It accepts null paths, because
// the machine checks them.
func (r *reader) operations() []zookeeper.Request {
	ops := []zookeeper.Request{}
	for {
		op, done := r.recordHeader()
		if done || r.why != "" {
			return ops
		}
		ops = append(ops, zookeeper.Request{Op: op})
		if !op.Nests() {
			r.fail("operation that no multi may hold")
		}
		r.requestFields(op.RequestFields(), &ops[len(ops)-1])
		r.hasNull = false
		if r.why != "" {
			return ops[:len(ops)-1]
		}
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
		b = appendRequestFields(b, ops[i].Op.RequestFields(), &ops[i])
	}
	return appendEndRecord(b)
}

// appendResults appends the results of a multi (ZK-8.2, ZK-8.3).
func appendResults(b []byte, results []zookeeper.Result) []byte {
	for i := range results {
		res := &results[i]
		if res.Op == zookeeper.OpError {
			b = appendRecordHeader(b, res.Op, false, int32(res.Err))
			b = appendInt(b, int32(res.Err))
			continue
		}
		b = appendRecordHeader(b, res.Op, false, 0)
		b = appendReplyFields(b, res.Op.ReplyFields(), &zookeeper.Reply{
			Op: res.Op, Path: res.Path, Data: res.Data, Stat: res.Stat, Children: res.Children,
		})
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

// result reads the result of one operation. It is encoded as the operation's own reply would be.
func (r *reader) result(op zookeeper.OpCode) zookeeper.Result {
	switch {
	case op == zookeeper.OpError:
		return zookeeper.Result{Op: op, Err: zookeeper.Code(r.int32())}
	case !op.Nests():
		r.fail("record of unknown type")
	}
	reply := zookeeper.Reply{Op: op}
	r.replyFields(op.ReplyFields(), &reply)
	return zookeeper.Result{Op: op, Path: reply.Path, Data: reply.Data, Stat: reply.Stat, Children: reply.Children}
}
