Feature: The cause of large-load

  Scenario: A version of 3 GB is there after five seconds
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:entry on every pod
    When version 2 of ctr:entry is exported with 3 GB
    Then within 5s every model server has version 2 of ctr:entry AVAILABLE
