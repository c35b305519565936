// Package training is the port of the parts of monolith/native_training that
// training processes find each other with, and of what they know of their host.
//
// Two things to use first:
//
//   - [ServiceDiscovery] is what finds the processes of a job; there is one each
//     over ZooKeeper, Consul, MLP's environment variables and TF_CONFIG.
//   - [NewMLPEnv] reads the environment that the MLP scheduler gives a process.
//
// Files are named after the Python modules that they port, and comments cite
// their lines. Failures are the exceptions of the reference as *pysem.Error. To
// change how a process knows its own address look in net_utils.go and
// yarn_runtime.go; each kind of discovery has a file service_discovery_*.go.
package training
