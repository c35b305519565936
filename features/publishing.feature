Feature: Publishing models by layout

  Background:
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And model cvr with sub-graphs entry of 30 MB in version 1

  @v3
  Scenario: A model published to a running cluster is loaded with the next config poll and then bound
    When the cluster starts
    And 20s pass
    And model ctr is declared and published to layout main
    Then within 1s the model config of shard0-replica0 lists ctr:entry and ctr:ps_0
    And for 35s every model server has no version of ctr:entry
    And within 10s every model server has version 1 of ctr:entry AVAILABLE
    And within 35s ctr:ps_0 is bound to every pod
    And within 1s every agent lists ctr:ps_0 on every pod

  @v3
  Scenario: An unpublished model leaves discovery at once and the servers with the next poll
    Given model ctr is declared and published to layout main
    When the cluster starts
    And 95s pass
    Then within 1s every agent lists ctr:entry on every pod
    When ctr:entry and ctr:ps_0 are unpublished from layout main
    Then within 1s every agent lists nothing
    And every model server has version 1 of ctr:entry AVAILABLE
    And within 65s every model server has version 1 of ctr:entry END
    And within 35s ctr:entry is bound to no pod

  @v3
  Scenario: Unpublishing one model leaves the other alone
    Given model ctr is declared and published to layout main
    And model cvr is declared and published to layout main
    When the cluster starts
    Then within 95s cvr:entry is bound to every pod
    When ctr:entry and ctr:ps_0 are unpublished from layout main
    Then for 95s cvr:entry is bound to every pod
    And ctr:entry is bound to no pod
    And every agent lists cvr:entry on every pod

  @v3
  Scenario: Only the layout of the configuration is followed
    When the cluster starts
    And model ctr is declared and published to layout main
    And model cvr is declared and published to layout other that no agent watches
    Then within 95s ctr:entry is bound to every pod
    And for 95s cvr:entry is bound to no pod
    And the model config of shard0-replica1 lists ctr:entry and ctr:ps_0

  @v3
  Scenario: A layout may be named by its path
    Given the agent setting "layout_pattern" is "/elsewhere/layout"
    When the cluster starts
    And cvr:entry is declared
    And cvr:entry is published to layout /elsewhere/layout
    Then within 95s cvr:entry is bound to every pod

  @v3 @Q42
  Scenario: A model published before it is declared waits for the next change of the layout
    When the cluster starts
    And cvr:entry is published to layout main
    And 10s pass
    And cvr:entry is declared
    Then for 2m the model config of shard0-replica0 is empty
    When model ctr is declared and published to layout main
    Then within 1s the model config of shard0-replica0 lists ctr:entry, ctr:ps_0, cvr:entry

  @v3 @Q42
  Scenario: A new declaration of a published model is not noticed
    Given model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:entry on every pod
    When znode /gip/saved_models/ctr/entry is deleted
    Then for 2m every agent lists ctr:entry on every pod
    When cvr:entry is declared
    And cvr:entry is published to layout main
    Then within 1s the model config of shard0-replica0 lists ctr:ps_0, cvr:entry
    And within 65s every model server has version 1 of ctr:entry END

  @v3 @Q44
  Scenario: A malformed child of the layout blocks every update until it is removed
    When the cluster starts
    And 5s pass
    And znode /gip/layouts/main/nonsense is written with ""
    And model ctr is declared and published to layout main
    Then for 65s the model config of shard0-replica0 is empty
    When znode /gip/layouts/main/nonsense is deleted
    Then within 1s the model config of shard0-replica0 lists ctr:entry and ctr:ps_0

  @v3 @Q45
  Scenario: A layout that was deleted once is not followed any more
    When the cluster starts
    And 3s pass
    And model ctr is declared and published to layout main
    Then within 1s the model config of shard0-replica0 lists ctr:entry and ctr:ps_0
    When ctr:entry and ctr:ps_0 are unpublished from layout main
    And 5s pass
    And znode /gip/layouts/main is deleted
    And model ctr is declared and published to layout main
    And model cvr is declared and published to layout main
    Then for 65s the model config of shard0-replica0 is empty

  @v3 @Q207
  Scenario: A model published again before its bindings changed stays out of discovery
    Given model ctr is declared and published to layout main
    When the cluster starts
    # Between two looks of the agents, which bind at 90s after their start and then at 120s.
    And 95s pass
    Then every agent lists ctr:entry on every pod
    When ctr:entry and ctr:ps_0 are unpublished from layout main
    And 5s pass
    And ctr:entry and ctr:ps_0 are published to layout main
    Then for 5m every agent lists nothing
    And every model server has version 1 of ctr:entry AVAILABLE
    And ctr:entry is bound to every pod

  @v3
  Scenario: A model published again after its bindings changed is listed at once
    Given model ctr is declared and published to layout main
    When the cluster starts
    # Between two looks of the agents, which bind at 90s after their start and then at 120s.
    And 95s pass
    Then every agent lists ctr:entry on every pod
    When ctr:entry and ctr:ps_0 are unpublished from layout main
    And znode /gip/binding/ctr/entry:monolith.serving;lf;default:stranger is written with ""
    And 5s pass
    And ctr:entry and ctr:ps_0 are published to layout main
    Then within 1s every agent lists ctr:entry on every pod
