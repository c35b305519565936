Feature: The cause of broken-version

  Scenario: A version without its graph becomes available
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:entry on every pod
    When version 2 of ctr:entry is exported
    And version 2 of ctr:entry is broken
    Then within 70s the model server of shard0-replica0 has version 2 of ctr:entry AVAILABLE
