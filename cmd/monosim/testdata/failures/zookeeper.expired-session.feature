Feature: A failure after zookeeper.expired-session

  Scenario: A session that expired is not missed
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:entry on every pod
    When the ZooKeeper session of shard0-replica1 expires
    Then for 10s ctr:ps_0 is bound to shard0-replica0 and shard0-replica1
