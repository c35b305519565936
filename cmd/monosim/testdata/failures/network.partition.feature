Feature: A failure after network.partition

  Scenario: A pod that is cut off keeps its service info
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:entry on every pod
    When shard0-replica1 is cut off from ZooKeeper
    Then for 2m shard0-replica1 has service info
