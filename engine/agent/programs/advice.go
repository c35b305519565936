package programs

import (
	"errors"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/env/zkerrors"
)

// trying records what the program calls next, and what to advise if that cannot be reached.
func (p *process) trying(what, advice string) { p.tried, p.advice = what, advice }

// namesZooKeeper says, for error messages, which setting gives the address of ZooKeeper.
func (p *process) namesZooKeeper() string {
	if p.name == Client || p.name == AgentController {
		return "--zk_servers"
	}
	return "zk_servers of the conf"
}

// adviceFor says what was tried and what to do about an error. It returns "" if the error's text is
// enough.
func (p *process) adviceFor(err error) string {
	var rpc *env.RPCError
	var zk *zkerrors.Error
	switch {
	case errors.As(err, &rpc) && (rpc.Code == rpcerrors.Unavailable || rpc.Code == rpcerrors.DeadlineExceeded),
		errors.As(err, &zk) && zk.Code == zkerrors.ConnectionTimeout:
		return "tried " + p.tried + "; " + p.advice
	case errors.As(err, &rpc), errors.As(err, &zk):
		if p.tried == "" {
			return ""
		}
		return "so says " + p.tried
	}
	return p.want
}
