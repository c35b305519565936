Feature: A failure after store.absent

  Scenario: A version of a base path that is missing is served
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the base path of ctr:entry is missing
    And the cluster starts
    Then within 95s the model server of shard0-replica0 has version 1 of ctr:entry AVAILABLE
