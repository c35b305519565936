package network

// answerLoss is an order to lose answers of one port.
type answerLoss struct {
	port, count int
	match       func(to *Host, payload any) bool
}

// LoseAnswer drops the next count messages that servers on the host's port send,
// each after its request was handled, and breaks the connection: "the answer was
// lost after the request had been applied".
func (n *Network) LoseAnswer(host string, port, count int) error {
	return n.LoseAnswerWhere(host, port, count, nil)
}

// LoseAnswerWhere is LoseAnswer for messages that match, by the host they go to
// and what they carry; others pass. Answers of an RPC server are *Answer.
func (n *Network) LoseAnswerWhere(host string, port, count int, match func(to *Host, payload any) bool) error {
	hosts, err := n.named([]string{host})
	if err != nil {
		return err
	}
	if count > 0 {
		n.rouseAll()
		hosts[0].losing = append(hosts[0].losing, &answerLoss{port: port, count: count, match: match})
	}
	return nil
}

// loseAnswer says whether an order applies to the message, and carries it out.
func (c *Conn) loseAnswer(payload any) bool {
	for i, l := range c.host.losing {
		if l.port != c.port || l.match != nil && !l.match(c.RemoteHost(), payload) {
			continue
		}
		l.count--
		if l.count == 0 {
			c.host.losing = append(c.host.losing[:i], c.host.losing[i+1:]...)
		}
		c.endSoon(ErrReset)
		c.out.push(segmentReset, nil, 0)
		return true
	}
	return false
}
