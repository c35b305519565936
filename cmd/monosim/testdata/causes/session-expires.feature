Feature: The cause of session-expires

  Scenario: A session that expires in a roll-out leaves the binding
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:entry on every pod
    When version 2 of ctr:entry is exported
    And the ZooKeeper session of shard0-replica1 expires
    Then for 10s ctr:entry is bound to every pod
