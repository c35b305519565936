Feature: A failure after modelserver.killed

  Scenario: A killed model server still serves
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:entry on every pod
    When the model server of shard0-replica1 is killed
    Then for 5s the model server of shard0-replica1 has version 1 of ctr:entry AVAILABLE
