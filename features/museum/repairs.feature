Feature: What once broke agents in which the faults of the reference are repaired

  # found by monosim explore --quirks fixed: the binding was made, and its answer was lost with the connection
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @Q41 @not-real @not-python
  Scenario: A binding of which the agent does not know whether it was made
    Given a v3 cluster of 1 shard with 1 replica
    And pods that end start again after 5s
    And model ctr with sub-graphs ps_0 of 30 MB in version 1
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    When model ctr is declared and published to layout main
    And the cluster starts
    And 10s pass
    And shard0-replica0 moves to a ZooKeeper follower that lags by 8s for 30s
    And 20s pass
    And version 1 of ctr:ps_0 is deleted
    And 160s pass
    Then no registration outlives its server

  # found by monosim explore --quirks fixed: the binding was deleted, and its answer was lost with the connection
  # not-real: some choices are said, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @Q41 @not-real @not-python
  Scenario: A binding of which the agent does not know whether it is gone
    Given a v3 cluster of 1 shard with 3 replicas
    And pods that end start again after 5s
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    And the choice shard0-replica2/pace.call#46 is 5
    And the choice shard0-replica2/kazoo.ping#64 is 22
    When model ctr is declared and published to layout main
    And the cluster starts
    And 159s pass
    And ctr:entry, ctr:ps_0 are unpublished from layout main
    And the network between ZooKeeper and shard0-replica2 becomes slower by 1.905s for 250s
    And 4s pass
    And ctr:entry, ctr:ps_0 are published to layout main
    And 56s pass
    And the network between ZooKeeper and shard0-replica0 becomes slower by 4s for 1m
    And 340s pass
    Then within 4m the cluster is whole

  # found by monosim explore --quirks fixed: another agent had made the layout anew before this one looked
  # not-real: agents whose faults are repaired are those of the simulation
  # not-python: the reference keeps all of its faults
  @v3 @Q45 @not-real @not-python
  Scenario: A layout that was deleted and that several agents make anew
    Given a v3 cluster of 2 shards with 2 replicas each
    And model ctr with sub-graphs entry, ps_0, ps_1 of 30 MB in version 1
    And the agents keep the quirks "fixed"
    When model ctr is declared and published to layout main
    And the cluster starts
    And 1s passes
    And znode /gip/layouts/main is deleted
    And 1s passes
    And ctr:entry, ctr:ps_0, ctr:ps_1 are published to layout main
    And 150s pass
    Then within 4m the cluster is whole

  # found by monosim explore --quirks fixed: what was read again because the connection was lost was what the layout had before
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @Q320 @Q42 @not-real @not-python
  Scenario: A layout that changes while an agent reads it again
    Given a v3 cluster of 1 shard with 1 replica
    And pods that end start again after 15s
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    When model ctr is declared and published to layout main
    And the cluster starts
    And 1m passes
    And ZooKeeper can no longer reach shard0-replica0 for 10s
    And ctr:entry is unpublished from layout main
    And ctr:entry is declared
    And 160s pass
    Then within 4m the cluster is whole

  # found by monosim explore --quirks fixed: the chief chose other PS than the worker has, which trained alone from then on
  # not-real: some choices are said, which no process keeps to
  # not-python: the reference keeps all of its faults
  @training @Q315 @not-real @not-python
  Scenario: A PS that has lost its session serves the workers on
    Given a training job with 1 worker and 2 PS
    And the job setting save_steps is "50"
    And the job setting restart_after is "20s"
    And the job setting redundant_ps is "1"
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    And the choice chief/pace.import#0 is 1566
    And the choice ps0/pace.import#0 is 6340
    When the training starts
    And 1s passes
    And ps2 loses ZooKeeper for 2m
    And the next 3 writes of a checkpoint fail
    And 270s pass
    Then for 3m the cluster is quiet
