# not-python: the reference trains with operations of its own, which are in its tree as C++ for a patched TensorFlow and are not built here
# not-real: which steps have touched a PS is known only where its processes share a memory
@not-python @not-real
Feature: What a training job learns is pushed to the PS that serve

  # A round is made every 10 s (cpu_training.py:1759). It takes the ids that steps have touched off
  # their list whether or not there is a target (parameter_sync_tf_bridge.cc:71): what was learned
  # between the checkpoint and the binding comes with the next version, or when it is touched again.
  @v3
  Scenario: Between two exports serving is ten seconds behind
    Given a v3 cluster of 1 shard with 2 replicas
    And a training job with 2 workers and 1 PS
    And the job setting save_every is "2m"
    And the job setting export_dir is "/models/ctr"
    And the job setting export_graphs is "[entry, ps_0]"
    And the job setting parameter_sync is "true"
    And the job setting unified_serving is "true"
    And the job setting bzid is "gip"
    And the job setting sync_model is "ctr"
    When ctr:entry and ctr:ps_0 are declared
    And ctr:entry and ctr:ps_0 are published to layout main
    And the training starts
    And the cluster starts
    Then within 5m every agent lists ctr:ps_0 on every pod
    And within 12s ps0 has pushed its parameters to every model server
    And for 5m every model server has parameters of ctr:ps_0 that are 12s old or less
    When the operator calls SaveCheckpoint
    And 5s pass
    Then for 30s every model server serves the newest export of ctr:ps_0

  # The push of a pod that does not answer ends after 3 s (distributed_serving_ops.py:112), and the
  # others get theirs later by that. What it carried is not sent again (parameter_sync_tf_bridge.cc:71).
  @v3 @Q331
  Scenario Outline: A serving PS that is cut off for a minute never gets what was pushed meanwhile
    Given a v3 cluster of 1 shard with 2 replicas
    And the agents keep the quirks "<quirks>"
    And model ctr with sub-graphs entry and ps_0 of 30 MB in version 1
    And a training job with 2 workers and 1 PS
    And the job setting parameter_sync is "true"
    And the job setting unified_serving is "true"
    And the job setting bzid is "gip"
    And the job setting sync_model is "ctr"
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:ps_0 on every pod
    When the training starts
    Then within 1m ps0 has pushed its parameters to every model server
    And every model server lacks no updates of ctr:ps_0
    When ps0 is cut off from shard0-replica0 for 1m
    Then the model server of shard0-replica0 has parameters of ctr:ps_0 that are 50s old or more
    And the model server of shard0-replica0 lacks updates of ctr:ps_0
    And the model server of shard0-replica1 has parameters of ctr:ps_0 that are 14s old or less
    And within 2m every model server has parameters of ctr:ps_0 that are 11s old or less
    And the parameter sync of ps0 goes on
    And for 1m the model server of shard0-replica0 <after> of ctr:ps_0
    And the model server of shard0-replica1 lacks no updates of ctr:ps_0

    Examples:
      | quirks | after            |
      | python | lacks updates    |
      | -Q331  | lacks no updates |

  # It comes back with the version of its last checkpoint: what was pushed since then is lost to it.
  @v3
  Scenario: A serving PS that is killed goes back to its checkpoint
    Given a v3 cluster of 1 shard with 2 replicas
    And pods that end start again after 20s
    And model ctr with sub-graphs entry and ps_0 of 30 MB in version 1
    And a training job with 2 workers and 1 PS
    And the job setting parameter_sync is "true"
    And the job setting unified_serving is "true"
    And the job setting bzid is "gip"
    And the job setting sync_model is "ctr"
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:ps_0 on every pod
    When the training starts
    Then within 1m ps0 has pushed its parameters to every model server
    And for 3m every model server has parameters of ctr:ps_0 that are 12s old or less
    When the model server of shard0-replica0 is killed
    Then within 3m the model server of shard0-replica0 has parameters of ctr:ps_0 that are 3m old or more
    And within 3m the model server of shard0-replica0 has parameters of ctr:ps_0 that are 11s old or less
    And the model server of shard0-replica0 lacks updates of ctr:ps_0
    And the model server of shard0-replica1 lacks no updates of ctr:ps_0

  # Its last updates die with it: the next round begins with those after its restore.
  @v3
  Scenario: A PS that is killed pushes again when the job has restored
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry and ps_0 of 30 MB in version 1
    And a training job with 2 workers and 1 PS
    And the job setting save_every is "1m"
    And the job setting restart_after is "30s"
    And the job setting parameter_sync is "true"
    And the job setting unified_serving is "true"
    And the job setting bzid is "gip"
    And the job setting sync_model is "ctr"
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:ps_0 on every pod
    When the training starts
    And 3m pass
    Then every model server has parameters of ctr:ps_0 that are 12s old or less
    When ps0 is killed
    Then within 1m every model server has parameters of ctr:ps_0 that are 35s old or more
    And within 10m every model server has parameters of ctr:ps_0 that are 11s old or less
    And for 2m every model server has parameters of ctr:ps_0 that are 12s old or less

  # What has touched it is kept in its memory meanwhile (SIGSTOP), and the job waits for it.
  @v3
  Scenario: A PS that is stopped pushes nothing, and loses nothing
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry and ps_0 of 30 MB in version 1
    And a training job with 2 workers and 1 PS
    And the job setting parameter_sync is "true"
    And the job setting unified_serving is "true"
    And the job setting bzid is "gip"
    And the job setting sync_model is "ctr"
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:ps_0 on every pod
    When the training starts
    Then within 1m ps0 has pushed its parameters to every model server
    When ps0 is stopped for 40s
    Then every model server has parameters of ctr:ps_0 that are 35s old or more
    And within 15s every model server has parameters of ctr:ps_0 that are 11s old or less
    And every model server lacks no updates of ctr:ps_0

  # Without unified_serving the targets are the replicas that agents of version 1 register
  # (estimator.py:300), and the model has the name of its sub-graph there (replica_manager.py:825).
  @v1
  Scenario: A job pushes to agents of version 1
    Given a v1 cluster of 2 shards with 1 replica
    And model predict_ctr with sub-graphs entry, ps_0 and ps_1 of 30 MB in version 1
    And a training job with 2 workers and 2 PS
    And the job setting parameter_sync is "true"
    And the job setting bzid is "predict_ctr"
    And the job setting base_name is "predict_ctr"
    When the cluster starts
    And the training starts
    Then within 3m ps0 has pushed its parameters to the ps server of shard0-replica0
    And within 3m ps1 has pushed its parameters to the ps server of shard1-replica0
    And for 1m the ps server of shard0-replica0 has parameters of ps_0 that are 12s old or less
    And the ps server of shard1-replica0 has parameters of ps_1 that are 11s old or less

  # The PS reads where the model is served when its bindings change, as agents do: a binding that is
  # back before the pod's service info is one that leads nowhere (backends.py:334).
  @v3 @Q43 @Q206
  Scenario Outline: A serving PS that was away from ZooKeeper is pushed to no more
    Given a v3 cluster of 1 shard with 2 replicas
    And the agents keep the quirks "<quirks>"
    And model ctr with sub-graphs entry and ps_0 of 30 MB in version 1
    And a training job with 2 workers and 1 PS
    And the job setting parameter_sync is "true"
    And the job setting unified_serving is "true"
    And the job setting bzid is "gip"
    And the job setting sync_model is "ctr"
    And model ctr is declared and published to layout main
    When the training starts
    And the cluster starts
    # Between two looks of the agents, which bind at 90s after their start and then at 120s.
    And 95s pass
    Then every agent lists ctr:ps_0 on every pod
    And within 12s ps0 has pushed its parameters to every model server
    When shard0-replica1 is cut off from ZooKeeper for 35s
    Then within 90s ctr:ps_0 is bound to every pod
    And within 65s shard0-replica1 has service info
    When 1m pass
    Then for 3m the model server of shard0-replica1 has parameters of ctr:ps_0 that are <age>
    And the model server of shard0-replica0 has parameters of ctr:ps_0 that are 11s old or less
    And the parameter sync of ps0 goes on

    Examples:
      | quirks     | age              |
      | python     | 1m old or more   |
      | -Q43,-Q206 | 11s old or less  |
