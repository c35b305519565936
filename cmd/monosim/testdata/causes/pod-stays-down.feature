Feature: The cause of pod-stays-down

  Scenario: A replica that is killed comes back by itself
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:entry on every pod
    When the agent of shard0-replica1 is killed
    And version 2 of ctr:entry is exported
    And 60s pass
    Then within 2m ctr:entry is bound to every pod
