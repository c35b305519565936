# Exploring found each in the simulation, where agents_v3.feature has it with its repair. Here each is told so that the
# reference's own agents can play it: make museum RUNNERS=sim,python.
# not-real: minutes that pass between acts; the simulation and the reference have shown the same
@not-real
Feature: What exploring found, for the reference's own agents

  @v3 @Q44
  Scenario: A malformed child keeps an agent from all of its layout
    Given a v3 cluster of 1 shard with 1 replica
    And model ctr with sub-graphs entry of 30 MB in version 1
    When model ctr is declared and published to layout main
    And znode /gip/layouts/main/nonsense is written with ""
    And the cluster starts
    And 100s pass
    Then the model config of shard0-replica0 is empty

  @v3 @Q45
  Scenario: A layout that was deleted is not followed any more
    Given a v3 cluster of 1 shard with 1 replica
    And model ctr with sub-graphs entry of 30 MB in version 1
    When model ctr is declared and published to layout main
    And the cluster starts
    And 95s pass
    And ctr:entry is unpublished from layout main
    And 1s passes
    And znode /gip/layouts/main is deleted
    And 1s passes
    And model ctr is declared and published to layout main
    And 2m pass
    Then the model config of shard0-replica0 is empty

  @v3 @Q208
  Scenario: The bindings of a session that expired do not come back
    Given a v3 cluster of 1 shard with 1 replica
    And model ctr with sub-graphs entry of 30 MB in version 1
    When model ctr is declared and published to layout main
    And the cluster starts
    And 110s pass
    And the ZooKeeper session of shard0-replica0 expires
    And 2m pass
    Then ctr:entry is bound to no pod

  @v3 @Q207
  Scenario: A model that was published again before its bindings changed is listed nowhere
    Given a v3 cluster of 1 shard with 1 replica
    And model ctr with sub-graphs entry of 30 MB in version 1
    When model ctr is declared and published to layout main
    And the cluster starts
    And 95s pass
    And ctr:entry is unpublished from layout main
    And 1s passes
    And ctr:entry is published to layout main
    And 1m passes
    Then ctr:entry is bound to every pod
    And the agent of shard0-replica0 lists ctr:entry on no pod

  @v1 @Q329
  Scenario: A registration that an operator deletes is not made again
    Given a v1 cluster of 1 shard with 1 replica
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    When the cluster starts
    Then within 60s shard0-replica0 is registered for ps:0 as AVAILABLE
    When znode /predict_ctr/service/predict_ctr/ps:0/201154214267 is deleted
    Then for 40s shard0-replica0 is not registered for ps:0
    And the agent of shard0-replica0 lists ps:0 on no pod
