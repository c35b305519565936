package loopback

// Unseen are the calls between pods, the processes that an agent has forked and, of a model
// server that is not monosim's, the states of its models: nothing tells of them.
func (c *Cluster) Unseen() []string {
	if c.o.ModelServer != "" {
		return []string{"rpc", "child", "modelserver"}
	}
	return []string{"rpc", "child"}
}
