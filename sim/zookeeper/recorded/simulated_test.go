package recorded

import (
	"slices"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// simulated plays scripts on a machine.
type simulated struct {
	m     *zookeeper.Machine
	start int64
	ids   map[int]int64
	xid   int32
}

func newSimulated(profile zookeeper.Profile, strict bool) *simulated {
	cfg := realConfig
	cfg.Profile = profile
	cfg.EnforceQuota, cfg.ReconfigEnabled = strict, strict
	return &simulated{m: zookeeper.New(cfg, 0), ids: map[int]int64{}}
}

func (s *simulated) base() int64 { return s.start }

func (s *simulated) connect(st step) []zookeeper.Out {
	req := *st.connect
	req.RemoteIP = "127.0.0.1"
	if st.attach != 0 {
		password := zookeeper.Password(s.ids[st.attach])
		req.SessionID, req.Password = s.ids[st.attach], password[:]
		if st.wrongPassword {
			req.Password = make([]byte, 16)
		}
	}
	s.m.Connect(0, zookeeper.ConnID(st.conn), &req)
	out := slices.Clone(s.m.Drain())
	for i := range out {
		if out[i].Kind == zookeeper.OutConnected {
			s.ids[st.conn] = out[i].Connected.SessionID
		}
	}
	return out
}

func (s *simulated) do(conn int, req zookeeper.Request) []zookeeper.Out {
	s.xid++
	if req.Xid == 0 {
		req.Xid = s.xid
	}
	if lists := req.Watches; lists != nil {
		copied := *lists
		copied.RelativeZxid += s.start
		req.Watches = &copied
	}
	// The request is encoded and decoded, because strings that are not UTF-8 change in decoding.
	var sent zookeeper.Request
	if err := new(wire.Decoder).Request(wire.AppendRequest(nil, &req)[4:], &sent); err != nil {
		panic(err)
	}
	s.m.Handle(0, zookeeper.ConnID(conn), &sent)
	return slices.Clone(s.m.Drain())
}

func (s *simulated) drop(conn int) []zookeeper.Out {
	s.m.Drop(0, zookeeper.ConnID(conn))
	return slices.Clone(s.m.Drain())
}
