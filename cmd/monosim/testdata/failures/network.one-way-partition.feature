Feature: A failure after network.one-way-partition

  Scenario: A pod whose messages are lost is listed by the other
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:entry on every pod
    When shard0-replica1 cannot reach ZooKeeper for 1m
    Then the agent of shard0-replica0 lists ctr:entry on shard0-replica0 and shard0-replica1
