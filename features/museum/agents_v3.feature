Feature: What breaks clusters of agents of version 3, and the same repaired

  # found by monosim explore: bound, after 17 stories of all worlds, in v3 1x3
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @Q208 @not-real @not-python
  Scenario Outline: The bindings of a session that expired (quirks <quirks>)
    Given a v3 cluster of 1 shard with 1 replica
    And pods that end start again after 15s
    And model ctr with sub-graphs entry of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When model ctr is declared and published to layout main
    And the cluster starts
    And 110s pass
    And the ZooKeeper session of shard0-replica0 expires
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                              |
      | python | for 4m the invariant bound is broken |
      | -Q208  | within 4m the cluster is whole       |

  # found by monosim explore: bound, after 49 stories of all worlds, in v3 1x3
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @Q41 @not-real @not-python
  Scenario Outline: A binding that could not be made (quirks <quirks>)
    Given a v3 cluster of 1 shard with 1 replica
    And pods that end start again after 2s
    And model ctr with sub-graphs entry of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When model ctr is declared and published to layout main
    And the cluster starts
    And 1m pass
    And ZooKeeper can no longer reach shard0-replica0 for 1m
    And 210s pass
    Then <outcome>

    Examples:
      | quirks | outcome                              |
      | python | for 4m the invariant bound is broken |
      | -Q41   | within 4m the cluster is whole       |

  # found by monosim explore: listed, after 50 stories of all worlds, in v3 2x2 with filters
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @Q43 @not-real @not-python
  Scenario Outline: A binding that was seen before its service information (quirks <quirks>)
    Given a v3 cluster of 1 shard with 1 replica
    And pods that end start again after 2s
    And model ctr with sub-graphs entry of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When model ctr is declared and published to layout main
    And the cluster starts
    And 1s passes
    And shard0-replica0 can no longer reach ZooKeeper for 1m
    And 210s pass
    Then <outcome>

    Examples:
      | quirks | outcome                               |
      | python | for 4m the invariant listed is broken |
      | -Q43   | within 4m the cluster is whole        |

  # found by monosim explore: listed, after 89 stories of all worlds, in v3 1x3
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @Q40 @not-real @not-python
  Scenario Outline: What an agent binds anew within the session of the one before (quirks <quirks>)
    Given a v3 cluster of 1 shard with 1 replica
    And pods that end start again after 5s
    And model ctr with sub-graphs entry of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    And the choice shard0-replica0/pace.server#1 is 1496
    When model ctr is declared and published to layout main
    And the cluster starts
    And 1s passes
    And the agent of shard0-replica0 is killed
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                               |
      | python | for 4m the invariant listed is broken |
      | -Q40   | within 4m the cluster is whole        |

  # found by monosim explore: ghost, after 217 stories of all worlds, in v3 1x3
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @Q29 @not-real @not-python
  Scenario Outline: The registration of an agent that waits for its threads (quirks <quirks>)
    Given a v3 cluster of 1 shard with 1 replica
    And pods that end start again after 30s
    And model ctr with sub-graphs entry of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When model ctr is declared and published to layout main
    And the cluster starts
    And 428s pass
    And the model server of shard0-replica0 is killed
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                             |
      | python | the invariant ghost is broken       |
      | -Q29   | no registration outlives its server |

  # found by monosim explore: listed, after 313 stories of all worlds, in v3 1x3
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @Q206 @not-real @not-python
  Scenario Outline: Service information after a session that was lost while it was reported (quirks <quirks>)
    Given a v3 cluster of 1 shard with 2 replicas
    And pods that end start again after 15s
    And model ctr with sub-graphs entry of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When model ctr is declared and published to layout main
    And the cluster starts
    And 110s pass
    And shard0-replica0 is cut off from ZooKeeper for 35s
    And 150s pass
    Then <outcome>

    Examples:
      | quirks   | outcome                               |
      | Q206,Q43 | for 4m the invariant listed is broken |
      | Q43      | within 4m the cluster is whole        |

  # found by monosim explore: serves, after 417 stories of all worlds, in v3 1x3
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @Q42 @not-real @not-python
  Scenario Outline: A model that is declared after it was published (quirks <quirks>)
    Given a v3 cluster of 1 shard with 1 replica
    And pods that end start again after 15s
    And model ctr with sub-graphs entry of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When ctr:entry is published to layout main
    And the cluster starts
    And 1s passes
    And ctr:entry is declared
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                                             |
      | python | for 4m the model config of shard0-replica0 is empty |
      | -Q42   | the model config of shard0-replica0 lists ctr:entry |

  # found by monosim explore: serves, after 41 stories of all worlds, in v3 1x3
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @Q44 @not-real @not-python
  Scenario Outline: A layout with a malformed child (quirks <quirks>)
    Given a v3 cluster of 1 shard with 1 replica
    And pods that end start again after 15s
    And model ctr with sub-graphs entry of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When model ctr is declared and published to layout main
    And znode /gip/layouts/main/nonsense is written with ""
    And the cluster starts
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                                             |
      | python | for 4m the model config of shard0-replica0 is empty |
      | -Q44   | the model config of shard0-replica0 lists ctr:entry |

  # found by monosim explore: serves, after 451 stories of all worlds, in v3 1x3
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @Q45 @not-real @not-python
  Scenario Outline: A layout that was deleted and made again (quirks <quirks>)
    Given a v3 cluster of 1 shard with 1 replica
    And pods that end start again after 15s
    And model ctr with sub-graphs entry of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When model ctr is declared and published to layout main
    And the cluster starts
    And 95s pass
    And ctr:entry is unpublished from layout main
    And 1s passes
    And znode /gip/layouts/main is deleted
    And model ctr is declared and published to layout main
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                               |
      | Q45    | for 4m the invariant serves is broken |
      | fixed  | within 4m the cluster is whole        |

  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @Q207 @not-real @not-python
  Scenario Outline: A model that is published again before its bindings change (quirks <quirks>)
    Given a v3 cluster of 1 shard with 1 replica
    And pods that end start again after 15s
    And model ctr with sub-graphs entry of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When model ctr is declared and published to layout main
    And the cluster starts
    And 95s pass
    And ctr:entry is unpublished from layout main
    And 1s passes
    And ctr:entry is published to layout main
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                               |
      | python | for 4m the invariant listed is broken |
      | -Q207  | within 4m the cluster is whole        |

  # found by monosim explore: answers, after 4187 stories of all worlds, in v3 1x3
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @Q209 @Q233 @not-real @not-python
  Scenario Outline: An agent whose first look at its layout failed answers no more (quirks <quirks>)
    Given a v3 cluster of 1 shard with 1 replica
    And pods that end start again after 2s
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When model ctr is declared and published to layout main
    And znode /gip/saved_models/ctr/entry is written with "nonsense"
    And the cluster starts
    And 1s passes
    And ctr:entry is declared
    And ctr:ps_0 is unpublished from layout main
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                                |
      | python | for 4m the invariant answers is broken |
      | -Q209  | within 4m the cluster is whole         |

  # found by monosim explore: serves, after 5656 stories of all worlds, in v3 1x3
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @Q320 @not-real @not-python
  Scenario Outline: A change of the layout that was lost with the connection (quirks <quirks>)
    Given a v3 cluster of 1 shard with 1 replica
    And pods that end start again after 15s
    And model ctr with sub-graphs entry of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When ctr:entry is declared
    And the cluster starts
    And 32s pass
    And the network between shard0-replica0 and ZooKeeper becomes slower by 1s for 14s
    And ctr:entry is published to layout main
    And 4s pass
    And shard0-replica0 is cut off from ZooKeeper for 18s
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                                                       |
      | python | for 4m the model config of shard0-replica0 is empty           |
      | -Q320  | within 1m the model config of shard0-replica0 lists ctr:entry |

  # found by monosim explore: listed, after 1891 stories of v3 1x3 with all else but Q43 repaired
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @Q321 @not-real @not-python
  Scenario Outline: A change of bindings that was lost with the connection (quirks <quirks>)
    Given a v3 cluster of 1 shard with 3 replicas
    And pods that end start again after 15s
    And model ctr with sub-graphs entry of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When model ctr is declared and published to layout main
    And the cluster starts
    And 88s pass
    And the network between shard0-replica0 and ZooKeeper becomes slower by 2s for 30s
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                               |
      | python | for 4m the invariant listed is broken |
      | -Q321  | within 4m the cluster is whole        |

  # found by monosim explore: info, after 329 stories of all worlds, in v3 1x3
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @Q322 @not-real @not-python
  Scenario Outline: How long an outage lasts for agents (quirks <quirks>)
    Given a v3 cluster of 1 shard with 2 replicas
    And pods that end start again after 15s
    And model ctr with sub-graphs entry of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When model ctr is declared and published to layout main
    And the cluster starts
    And 320s pass
    And ZooKeeper is down for 280s
    And 15s pass
    Then <outcome>

    Examples:
      | quirks | outcome                               |
      | python | for 65s every pod has no service info |
      | -Q322  | within 65s every pod has service info |

  # found by monosim explore: service is late, after 81 stories of all worlds, in v3 1x3
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @Q323 @not-real @not-python
  Scenario Outline: A model server that reads its configuration before its agent has written it (quirks <quirks>)
    Given a v3 cluster of 1 shard with 1 replica
    And pods that end start again after 15s
    And model ctr with sub-graphs entry of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When model ctr is declared and published to layout main
    And the cluster starts
    Then <outcome>

    Examples:
      | quirks | outcome                                  |
      | python | for 85s ctr:entry is bound to no pod       |
      | -Q323  | within 31s ctr:entry is bound to every pod |

  # found by monosim explore: runs, after 1612 stories of all worlds, in v3 2x2 with filters
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @Q25 @not-real @not-python
  Scenario Outline: A model with a policy that agents do not know (quirks <quirks>)
    Given a v3 cluster of 1 shard with 1 replica
    And pods that end start again after 2s
    And model ctr with sub-graphs entry of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When ctr:entry is declared with policy "latest_once"
    And ctr:entry is published to layout main
    And the cluster starts
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                              |
      | Q25    | for 4m every pod has no service info |
      | fixed  | within 4m the cluster is whole       |

  # found by monosim explore: bound, after 8530 stories of all worlds with all else repaired, in v3 2x2 with filters
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @Q328 @not-real @not-python
  Scenario Outline: An agent that restarts its client while a watch waits for it (quirks <quirks>)
    Given a v3 cluster of 1 shard with 2 replicas
    And pods that end start again after 2s
    And model ctr with sub-graphs ps_0 of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When model ctr is declared and published to layout main
    And the cluster starts
    And 1s passes
    And the agent of shard0-replica0 takes 250s to write a file
    And ctr:ps_0 is declared
    And 4s pass
    And the agent of shard0-replica0 writes a file in one step
    And 152s pass
    And ZooKeeper becomes read-only for 1s
    And 32s pass
    And shard0-replica0 gets cut off from ZooKeeper for 1m
    And 210s pass
    Then <outcome>

    Examples:
      | quirks | outcome                               |
      | Q328   | for 20m the invariant bound is broken |
      | fixed  | within 4m the cluster is whole        |
