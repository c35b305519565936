package loopback

// Unseen lists what cannot be observed: calls that no model server answers, processes that an
// agent has forked and, for a model server that is not monosim's, the states of its models.
func (c *Cluster) Unseen() []string {
	if c.o.ModelServer != "" {
		return []string{"rpc", "child", "modelserver"}
	}
	return []string{"rpc", "child"}
}
