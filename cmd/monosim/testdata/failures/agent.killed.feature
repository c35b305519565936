Feature: A failure after agent.killed

  Scenario: The binding of a killed agent stays
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:entry on every pod
    When the agent of shard0-replica1 is killed
    Then for 60s ctr:entry is bound to every pod
