Feature: What breaks clusters of agents of version 1, and the same repaired

  # found by monosim explore: servers, after 35 stories of all worlds, in v1 1x3
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v1 @Q20 @not-real @not-python
  Scenario Outline: A model server that died before its port was seen (quirks <quirks>)
    Given a v1 cluster of 1 shard with 1 replica
    And pods that end start again after 30s
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs ps_0 of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When the cluster starts
    And 1m pass
    And the entry server of shard0-replica0 is killed
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                                |
      | python | for 4m the invariant servers is broken |
      | -Q20   | within 4m the cluster is whole         |

  # found by monosim explore: bound, after 43 stories of all worlds, in v1 1x3
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v1 @Q120 @not-real @not-python
  Scenario Outline: A registration that an agent makes within the session of the one before (quirks <quirks>)
    Given a v1 cluster of 1 shard with 2 replicas
    And pods that end start again after 5s
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs ps_0 of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When the cluster starts
    And 1s passes
    And the agent of shard0-replica0 is killed
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                              |
      | python | for 4m the invariant bound is broken |
      | -Q120  | within 4m the cluster is whole       |

  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v1 @Q212 @not-real @not-python
  Scenario Outline: A PS that does not look for new versions (quirks <quirks>)
    Given a v1 cluster of 1 shard with 1 replica
    And pods that end start again after 15s
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When the cluster starts
    And 1m pass
    And version 2 of predict_ctr:ps_0 is exported
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                                                                 |
      | python | for 4m the ps server of shard0-replica0 has version 1 of ps_0 AVAILABLE |
      | -Q212  | the ps server of shard0-replica0 has version 2 of ps_0 AVAILABLE        |

  # found by monosim explore: servers, after 3022 stories of all worlds, in v1 in two data centres
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v1 @Q325 @not-real @not-python
  Scenario Outline: An entry that waits for the PS of its own pod, which has ended (quirks <quirks>)
    Given a v1 cluster of 1 shard with 1 replica
    And pods that end start again after 5s
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When the cluster starts
    And 14s pass
    And the ps server of shard0-replica0 is killed
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                                |
      | Q325   | for 4m the invariant servers is broken |
      | fixed  | within 4m the cluster is whole         |

  # found by monosim explore: bound, after 429 stories of all worlds, in dense
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v1 @Q2 @not-real @not-python
  Scenario Outline: The one registration of a pod's dense services (quirks <quirks>)
    Given a v1 cluster of 1 shard with 1 replica
    And pods that end start again after 15s
    And the agents have no setting "stand_alone_serving"
    And the agent setting "deploy_type" is "dense"
    And the agent setting "dense_alone" is "true"
    And the agent setting "dense_service_num" is "3"
    And model predict_ctr with sub-graphs dense_0 of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When the cluster starts
    And 1s passes
    And the dense server of shard0-replica0 is killed
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                              |
      | Q2     | for 4m the invariant bound is broken |
      | fixed  | within 4m the cluster is whole       |

  # found by monosim explore: servers, after 9674 stories of all worlds, in v1 2x2
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v1 @Q109 @Q114 @not-real @not-python
  Scenario Outline: A session that expires before all servers of a pod have started (quirks <quirks>)
    Given a v1 cluster of 1 shard with 1 replica
    And pods that end start again after 15s
    And model predict_ctr with sub-graphs entry, ps_0, ps_1 of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When the cluster starts
    And 1s passes
    And the ZooKeeper session of shard0-replica0 expires
    And 150s pass
    Then <outcome>

    Examples:
      | quirks    | outcome                                |
      | Q109,Q114 | for 4m the invariant servers is broken |
      | fixed     | within 4m the cluster is whole         |

  # found by monosim explore: bound, after 373 stories of all worlds, in v1 1x3
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v1 @Q124 @not-real @not-python
  Scenario Outline: An error while an agent registers anew (quirks <quirks>)
    Given a v1 cluster of 1 shard with 1 replica
    And pods that end start again after 30s
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs ps_0 of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When the cluster starts
    And 10s pass
    And the network between ZooKeeper and shard0-replica0 becomes slower by 4s for 1m
    And 210s pass
    Then <outcome>

    Examples:
      | quirks | outcome                              |
      | python | for 4m the invariant bound is broken |
      | -Q124  | within 4m the cluster is whole       |

  # found by monosim explore: serves, after 5 stories of this world, in v1 with a rough sort model
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v1 @Q102 @not-real @not-python
  Scenario Outline: Version 10 of a rough sort model comes after version 9 (quirks <quirks>)
    Given a v1 cluster of 1 shard with 1 replica
    And the agent setting "num_ps" is "1"
    And the agent setting "rough_sort_model_name" is "rough"
    And the agent setting "rough_sort_model_p2p_path" is "/p2p"
    And the agent setting "rough_sort_model_local_path" is "/rough"
    And model rough with sub-graphs entry_item_embedding_0 of 30 MB in version 9
    And model rough_b with sub-graphs entry_item_embedding_0 of 30 MB in version 1
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When version 9 of rough:entry_item_embedding_0 is received
    And the cluster starts
    And 1m passes
    And version 10 of rough:entry_item_embedding_0 is received
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                               |
      | Q102   | for 4m the invariant serves is broken |
      | fixed  | within 4m the cluster is whole        |

  # found by monosim explore: copies, after 6 stories of this world, in v1 with a rough sort model
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v1 @Q103 @not-real @not-python
  Scenario Outline: A model whose name begins as that of the rough sort model (quirks <quirks>)
    Given a v1 cluster of 1 shard with 1 replica
    And the agent setting "num_ps" is "1"
    And the agent setting "rough_sort_model_name" is "rough"
    And the agent setting "rough_sort_model_p2p_path" is "/p2p"
    And the agent setting "rough_sort_model_local_path" is "/rough"
    And model rough with sub-graphs entry_item_embedding_0 of 30 MB in version 9
    And model rough_b with sub-graphs entry_item_embedding_0 of 30 MB in version 1
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When version 1 of rough_b:entry_item_embedding_0 is received
    And the cluster starts
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                               |
      | Q103   | for 4m the invariant copies is broken |
      | fixed  | within 4m the cluster is whole        |

  # found by monosim explore: locks, after 9 stories of this world, in v1 with a rough sort model
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v1 @Q105 @not-real @not-python
  Scenario Outline: A lock on a version that is not complete (quirks <quirks>)
    Given a v1 cluster of 1 shard with 1 replica
    And the agent setting "num_ps" is "1"
    And the agent setting "rough_sort_model_name" is "rough"
    And the agent setting "rough_sort_model_p2p_path" is "/p2p"
    And the agent setting "rough_sort_model_local_path" is "/rough"
    And model rough with sub-graphs entry_item_embedding_0 of 30 MB in version 9
    And model rough_b with sub-graphs entry_item_embedding_0 of 30 MB in version 1
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When version 9 of rough:entry_item_embedding_0 is received
    And version 10 of rough:entry_item_embedding_0 is received in part
    And the agent of shard0-replica0 takes 10s to write a file
    And the cluster starts
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                            |
      | Q105   | the invariant locks is broken      |
      | fixed  | no agent locks what it cannot copy |

  # found by monosim explore: address, after 71 stories of all worlds, in v1 in two data centres
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v1 @Q110 @not-real @not-python
  Scenario Outline: A poll that registers a lost PS before its agent does (quirks <quirks>)
    Given a v1 cluster of 1 shard with 1 replica
    And pods that end start again after 2s
    And model predict_ctr with sub-graphs entry of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When the cluster starts
    And 353s pass
    And the ZooKeeper session of shard0-replica0 expires
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                           |
      | Q110   | the invariant address is broken   |
      | fixed  | every registration has an address |

  # found by monosim explore: bound, after 1367 stories of v1 1x3 and 2x2 with all else repaired
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v1 @Q122 @not-real @not-python
  Scenario Outline: A PS that cannot be loaded hides its entry (quirks <quirks>)
    Given a v1 cluster of 1 shard with 1 replica
    And pods that end start again after 15s
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When the cluster starts
    And 30s pass
    And version 1 of predict_ctr:ps_0 is deleted
    And 1s passes
    And the export of version 2 of predict_ctr:ps_0 begins without its graph, with variables of 30 MB
    And 419s pass
    And ZooKeeper gets cut off from shard0-replica0 for 10s
    And 160s pass
    Then <outcome>

    Examples:
      | quirks | outcome                              |
      | Q122   | for 4m the invariant bound is broken |
      | fixed  | within 4m the cluster is whole       |

  # found by monosim explore --quirks fixed: noise, after 8662 stories of five worlds, in v1 2x2
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v1 @Q333 @not-real @not-python
  Scenario Outline: Metrics of a version that could not be loaded and is deleted (quirks <quirks>)
    Given a v1 cluster of 1 shard with 1 replica
    And pods that end start again after 5s
    And model predict_ctr with sub-graphs entry, ps_0, ps_1 of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When the cluster starts
    And the export of version 2 of predict_ctr:ps_0 begins without its graph, with variables of 30 MB for 129s
    And 170s pass
    And version 2 of predict_ctr:ps_0 is deleted
    And 150s pass
    Then within 4m the cluster is whole
    And the ps server of shard0-replica0 has version 1 of ps_0 AVAILABLE
    And <outcome>

    Examples:
      | quirks | outcome                                 |
      | Q333   | within 3m the invariant noise is broken |
      | fixed  | for 3m the cluster is quiet             |

  # found by monosim explore --quirks fixed: bound, in dense, after 30,000 stories of all worlds
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v1 @Q334 @not-real @not-python
  Scenario Outline: What an agent wrote before it was killed, and a slow network brings later (quirks <quirks>)
    Given a v1 cluster of 1 shard with 1 replica
    And pods that end start again after 5s
    And the agents have no setting "stand_alone_serving"
    And the agent setting "deploy_type" is "dense"
    And the agent setting "dense_alone" is "true"
    And model predict_ctr with sub-graphs dense_0 of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When the cluster starts
    And 1s passes
    And the network between ZooKeeper and shard0-replica0 becomes slower by 8s for 1s
    And 583ms pass
    And the agent of shard0-replica0 is asked to stop
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                              |
      | Q334   | for 4m the invariant bound is broken |
      | fixed  | within 4m the cluster is whole       |

  # found by monosim explore --quirks fixed: late, after 2420 stories of four worlds, in v1 2x2
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v1 @Q114 @not-real @not-python
  Scenario Outline: A replica that is deleted and made again before anybody has read it (quirks <quirks>)
    Given a v1 cluster of 2 shards with 2 replicas each
    And pods that end start again after 5s
    And model predict_ctr with sub-graphs ps_1 of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When the cluster starts
    And 130s pass
    And the agent of shard1-replica0 is killed
    And the agent of shard1-replica1 is killed
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                                     |
      | Q114   | the invariant late is broken                |
      | fixed  | every agent has followed what is registered |

  # found by monosim explore --quirks fixed: late, in 3 of 3000 stories, in v1 2x2
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v1 @Q335 @not-real @not-python
  Scenario Outline: A replica that changes while another agent's poll reads the tree (quirks <quirks>)
    Given a v1 cluster of 1 shard with 2 replicas
    And pods that end start again after 60s
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When the cluster starts
    And 135891ms pass
    And the agent of shard0-replica1 is killed
    And 150s pass
    Then <outcome>

    Examples:
      | quirks | outcome                                     |
      | Q335   | the invariant late is broken                |
      | fixed  | every agent has followed what is registered |
