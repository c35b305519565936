Feature: Slow and failing loads

  Background:
    Given a v3 cluster of 1 shard with 1 replica
    And model ctr with sub-graphs entry of 30 MB in version 1
    And model cvr with sub-graphs entry of 30 MB in version 1

  @v3
  Scenario: A model that takes long to load is bound only once it is there
    Given version 2 of ctr:entry is exported with 15 GB
    When the cluster starts
    And 5s pass
    And model ctr is declared and published to layout main
    Then within 65s every model server has version 2 of ctr:entry LOADING
    And for 45s ctr:entry is bound to no pod
    And within 10s every model server has version 2 of ctr:entry AVAILABLE
    And within 35s ctr:entry is bound to every pod

  @v3
  Scenario: A new version that cannot be loaded leaves the old one serving
    Given model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s ctr:entry is bound to every pod
    When version 2 of ctr:entry is exported
    And version 2 of ctr:entry is broken
    Then within 2s every model server has version 2 of ctr:entry LOADING
    And for 4m50s every model server has version 1 of ctr:entry AVAILABLE
    And within 30s every model server has version 2 of ctr:entry END
    And every model server reports NOT_FOUND "Could not find SavedModel" for version 2 of ctr:entry
    And for 65s every agent lists ctr:entry on every pod

  @v3
  Scenario: A version that is repaired between two tries loads after all
    Given model ctr is declared and published to layout main
    When the cluster starts
    Then within 65s every model server has version 1 of ctr:entry AVAILABLE
    When version 2 of ctr:entry is exported
    And version 2 of ctr:entry is broken for 90s
    Then within 35s every model server has version 2 of ctr:entry AVAILABLE

  @v3
  Scenario: A version that failed for good is not tried again after its repair
    Given model ctr is declared and published to layout main
    When the cluster starts
    Then within 65s every model server has version 1 of ctr:entry AVAILABLE
    When version 2 of ctr:entry is exported
    And version 2 of ctr:entry is broken for 6m
    Then every model server has version 2 of ctr:entry END
    And for 5m every model server has version 1 of ctr:entry AVAILABLE
    When version 3 of ctr:entry is exported
    Then within 3s every model server has version 3 of ctr:entry AVAILABLE

  @v3
  Scenario: A load that fails keeps all other models waiting for five minutes
    Given model ctr is declared and published to layout main
    And model cvr is declared and published to layout main
    When the cluster starts
    Then within 65s every model server has version 1 of cvr:entry AVAILABLE
    When version 2 of ctr:entry is exported
    And version 2 of ctr:entry is broken
    And 3s pass
    And version 2 of cvr:entry is exported
    Then for 4m45s every model server has version 1 of cvr:entry AVAILABLE
    And within 30s every model server has version 2 of cvr:entry AVAILABLE

  @v3
  Scenario: One missing base path freezes all models of the server
    Given model ctr is declared and published to layout main
    And model cvr is declared and published to layout main
    When the cluster starts
    Then within 95s cvr:entry is bound to every pod
    When the base path of ctr:entry is deleted
    And version 2 of cvr:entry is exported
    Then for 2m every model server has version 1 of cvr:entry AVAILABLE
    And every model server has version 1 of ctr:entry AVAILABLE
    When version 3 of ctr:entry is exported
    Then within 3s every model server has version 2 of cvr:entry AVAILABLE
    And within 1s every model server has version 3 of ctr:entry AVAILABLE

  @v3
  Scenario: A deleted version leaves the server and then the bindings
    Given model ctr is declared and published to layout main
    And model cvr is declared and published to layout main
    When the cluster starts
    Then within 95s ctr:entry is bound to every pod
    When version 1 of ctr:entry is deleted
    Then within 3s every model server has version 1 of ctr:entry END
    And within 35s ctr:entry is bound to no pod
    And within 1s every agent lists ctr:entry on no pod
    And every agent lists cvr:entry on every pod
