package loopback

// Unseen lists the topics that this cluster cannot observe: calls that no model server
// answers, and processes that an agent has forked. With an external model server, the states
// of its models are not observed either.
func (c *Cluster) Unseen() []string {
	if c.o.ModelServer != "" {
		return []string{"rpc", "child", "modelserver"}
	}
	return []string{"rpc", "child"}
}
