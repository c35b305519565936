package network

// answerLoss tells a host to lose answers that its servers send from one port. count is the number
// of answers still to lose.
type answerLoss struct {
	port, count int
	match       func(to *Host, payload any) bool
}

// LoseAnswer drops the next messages that servers on the host's port send, and resets the
// connection of each dropped message. count is the number of messages to drop. The server has then
// handled the request, but the client cannot know. An unknown host is an error.
func (n *Network) LoseAnswer(host string, port, count int) error {
	return n.LoseAnswerWhere(host, port, count, nil)
}

// LoseAnswerWhere does what LoseAnswer does, but only to messages for which match returns true;
// nil matches all. match receives the destination host and the message's content, which is an
// *Answer if an RPC server sends it.
func (n *Network) LoseAnswerWhere(host string, port, count int, match func(to *Host, payload any) bool) error {
	hosts, err := n.named([]string{host})
	if err != nil {
		return err
	}
	if count > 0 {
		n.wakeAll()
		hosts[0].losing = append(hosts[0].losing, &answerLoss{port: port, count: count, match: match})
	}
	return nil
}

// Losing reports whether messages of a host are still to be dropped ([Network.LoseAnswer]).
func (n *Network) Losing(host string) bool {
	hosts, err := n.named([]string{host})
	return err == nil && len(hosts[0].losing) > 0
}

// loseAnswer reports whether the message must be lost. If so, it counts the loss and resets the
// connection.
func (c *Conn) loseAnswer(payload any) bool {
	for i, l := range c.host.losing {
		if l.port != int(c.port) || l.match != nil && !l.match(c.RemoteHost(), payload) {
			continue
		}
		l.count--
		if l.count == 0 {
			c.host.losing = append(c.host.losing[:i], c.host.losing[i+1:]...)
		}
		c.endSoon(ErrReset)
		c.out.push(segmentReset)
		return true
	}
	return false
}
