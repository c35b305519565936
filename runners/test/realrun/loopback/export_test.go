package loopback

// EventsFile returns the file to which monosim's own ZooKeeper of a cluster writes what it has done.
func EventsFile(c *Cluster) string { return c.zk.(*simulated).eventsFile() }
