package admin

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// Ensemble lists the admin actions of a served ZooKeeper ensemble and of its servers.
func Ensemble(e *wire.Ensemble) []Action {
	all := []Action{
		Show("/servers", "the servers with their modes, addresses and zxids", func() ([]serverShown, error) { return servers(e), nil }),
		Do("/leader/lose", "have the leader step down; another election follows", Nothing{}, func(Nothing) (Nothing, error) { return Nothing{}, e.LoseLeader() }),
		exitAction(),
	}
	for _, server := range e.Servers() {
		all = append(all, memberActions(e, server.ID)...)
	}
	return all
}

type serverShown struct {
	ID   int64  `json:"id"`
	Addr string `json:"addr"`
	Mode string `json:"mode"`
	Cut  bool   `json:"cut,omitempty"`
	Lag  Span   `json:"lag"`
	Zxid string `json:"zxid"`
}

func servers(e *wire.Ensemble) (shown []serverShown) {
	for _, s := range e.Servers() {
		shown = append(shown, serverShown{ID: s.ID, Addr: s.Addr, Mode: s.Mode, Cut: s.Cut, Lag: Span(s.Lag), Zxid: fmt.Sprintf("%#x", s.Zxid)})
	}
	return shown
}

type started struct {
	// Addr is the address to listen on. "" means the server's previous address.
	Addr string `json:"addr,omitempty"`
}

type cutAsked struct {
	Cut bool `json:"cut"`
}

// memberActions lists the actions of the server id. Their paths begin with /servers/ and the id.
func memberActions(e *wire.Ensemble, id int64) []Action {
	start := func(in started) error { return e.Start(id, in.Addr) }
	own := []Action{
		Do("/stop", "end the server, as kill -9 does", Nothing{}, func(Nothing) (Nothing, error) { return Nothing{}, e.Stop(id) }),
		Do("/start", "start it again, with what it had on disk", Nothing{}, func(Nothing) (Nothing, error) { return Nothing{}, start(started{}) }),
		Hold("/hold", "start it for as long as this request lasts", started{Addr: "127.0.0.1:2191"}, start, func() { e.Stop(id) }),
		Do("/cut", "cut it off the other servers, not off its clients, or end that", cutAsked{Cut: true}, func(in cutAsked) (Nothing, error) { return Nothing{}, e.Cut(id, in.Cut) }),
		Do("/behind", "have it learn that much later of what the leader did", lagAsked{Lag: Span(time.Second)}, func(in lagAsked) (Nothing, error) {
			return Nothing{}, e.Lag(id, time.Duration(in.Lag))
		}),
	}
	own = append(own, zooKeeper{func() *wire.Server { return e.Server(id) }}.actions()...)
	for i := range own {
		own[i].Path = fmt.Sprintf("/servers/%d%s", id, own[i].Path)
	}
	return own
}
