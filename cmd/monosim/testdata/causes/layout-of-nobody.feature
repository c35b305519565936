Feature: The cause of layout-of-nobody

  Scenario: A model of a layout that nobody watches is served
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry of 30 MB in version 1
    And model ctr is declared and published to layout mian that no agent watches
    When the cluster starts
    Then within 95s every model server has version 1 of ctr:entry AVAILABLE
