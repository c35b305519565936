Feature: Faults of processes

  Scenario: An outage, a cut and a lost session are as real as the processes
    Given a v3 cluster of 1 shard with 2 replicas
    When the cluster starts
    Then within 5m every pod has service info
    When ZooKeeper is down for 3s
    Then within 5m every pod has service info
    When shard0-replica1 is cut off from ZooKeeper
    Then within 5m shard0-replica1 has no service info
    And shard0-replica0 has service info
    When shard0-replica1 reaches ZooKeeper again
    Then within 5m shard0-replica1 has service info
    When ZooKeeper cannot reach shard0-replica0
    Then within 5m shard0-replica0 has no service info
    When shard0-replica0 reaches ZooKeeper again
    Then within 5m every pod has service info
    When the ZooKeeper session of shard0-replica1 expires
    Then within 5m shard0-replica1 has no service info
    And within 5m shard0-replica1 has service info

  Scenario: What is killed has ended, and starts again
    Given a v3 cluster of 1 shard with 1 replica
    And pods that end start again after 15s
    When the cluster starts
    Then within 5m shard0-replica0 runs 1 model server
    When the agent of shard0-replica0 is killed
    Then shard0-replica0 has ended with exit code -9
    And within 5m shard0-replica0 was started 2 times
    And within 5m shard0-replica0 runs 1 model server

  Scenario: The first answer of ZooKeeper is lost with its connection
    Given a v1 cluster of 1 shard with 1 replica
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When ZooKeeper applies the next 1 request of shard0-replica0 without answering
    And the cluster starts
    Then within 5m shard0-replica0 has ended with exit code 1
