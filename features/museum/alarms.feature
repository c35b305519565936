Feature: What invariants once took for a fault of agents, and no agent can help

  # TFS-9.2: a server that starts with a model of no version opens no port.
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @not-real @not-python
  Scenario: The only version of a model is deleted
    Given a v3 cluster of 1 shard with 1 replica
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    When model ctr is declared and published to layout main
    And the cluster starts
    And version 1 of ctr:entry is deleted
    And 150s pass
    Then for 3m the cluster is quiet
    And the cluster is whole

  # The entry waits for its PS, of which there is nothing (agent_v1.py:145).
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v1 @not-real @not-python
  Scenario: The only version of a PS is deleted
    Given a v1 cluster of 1 shard with 1 replica
    And pods that end start again after 5s
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    When the cluster starts
    And 1m passes
    And version 1 of predict_ctr:ps_0 is deleted
    And the entry server of shard0-replica0 is killed
    And 150s pass
    Then within 4m the cluster is whole

  # TFS-5.4: a version whose loads have failed is not tried again.
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @not-real @not-python
  Scenario: A version takes longer to become complete than its server tries
    Given a v3 cluster of 1 shard with 1 replica
    And model ctr with sub-graphs entry of 30 MB in version 1
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    When model ctr is declared and published to layout main
    And the cluster starts
    And 2s pass
    And the export of version 2 of ctr:entry begins without its graph, with variables of 30 MB for 250s
    And 260s pass
    And the base path of ctr:entry becomes unreadable for 1m
    And 210s pass
    Then within 4m the cluster is whole
    And the model server of shard0-replica0 has version 1 of ctr:entry AVAILABLE

  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @not-real @not-python
  Scenario: A version is deleted while it is exported
    Given a v3 cluster of 1 shard with 1 replica
    And pods that end start again after 15s
    And model ctr with sub-graphs entry of 30 MB in version 1
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    When model ctr is declared and published to layout main
    And the cluster starts
    And the export of version 2 of ctr:entry begins without its variables of 30 MB for 1s
    And version 2 of ctr:entry is deleted
    And ZooKeeper goes down for 1s
    And 151s pass
    Then within 4m the cluster is whole

  # TFS-9.2: such a server takes no other configuration either, whatever is published after it started.
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @not-real @not-python
  Scenario: A model whose only version was deleted is unpublished
    Given a v3 cluster of 1 shard with 1 replica
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    When model ctr is declared and published to layout main
    And the cluster starts
    And version 1 of ctr:entry is deleted
    And 1s passes
    And ctr:entry is unpublished from layout main
    And 150s pass
    Then within 4m the cluster is whole
    And for 3m the cluster is quiet

  # Before it has a rough sort model an agent starts nothing (agent.py:65).
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v1 @not-real @not-python
  Scenario: A rough sort model that has not come yet
    Given a v1 cluster of 1 shard with 1 replica
    And the agent setting "num_ps" is "1"
    And the agent setting "rough_sort_model_name" is "rough"
    And the agent setting "rough_sort_model_p2p_path" is "/p2p"
    And the agent setting "rough_sort_model_local_path" is "/rough"
    And model rough with sub-graphs entry_item_embedding_0 of 30 MB in version 9
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    When the cluster starts
    And 1m passes
    And version 9 of rough:entry_item_embedding_0 is received in part
    And 3m pass
    Then for 3m the cluster is quiet
    And the cluster is whole
    And shard0-replica0 runs 0 model servers
    When version 9 of rough:entry_item_embedding_0 is received
    Then within 1m shard0-replica0 runs 2 model servers
    And within 1m the entry server of shard0-replica0 has version 9 of entry_item_embedding_0 AVAILABLE

  # TFS-8.8: a model that is removed and added again while a load is tried again keeps the reload that added it waiting.
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @not-real @not-python
  Scenario: A reload of a model server that never returns
    Given a v3 cluster of 1 shard with 1 replica
    And pods that end start again after 5s
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    When model ctr is declared and published to layout main
    And the cluster starts
    And 1s passes
    And znode /gip/layouts/main is deleted
    And the export of version 2 of ctr:entry begins without its graph, with variables of 30 MB for 64s
    And 1m passes
    And ctr:ps_0 is published to layout main
    And 90s pass
    And ctr:ps_0 is unpublished from layout main
    And 150s pass
    Then within 4m the cluster is whole

  # What is written when the fault ends takes its time all the same.
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @not-real @not-python
  Scenario: An agent that is still slow to write a file when that is over
    Given a v3 cluster of 1 shard with 1 replica
    And pods that end start again after 5s
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    When model ctr is declared and published to layout main
    And the cluster starts
    And 1m passes
    And the agent of shard0-replica0 takes 1m to write a file
    And ctr:entry is unpublished from layout main
    And version 1 of ctr:entry is deleted
    And 1s passes
    And the agent of shard0-replica0 writes a file in one step
    And ctr:entry, ctr:ps_0 are published to layout main
    And 150s pass
    Then no registration outlives its server

  # An agent that cannot follow its layout ends, or follows none, until somebody mends the config.
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @not-real @not-python
  Scenario: A deploy config that nobody can read
    Given a v3 cluster of 1 shard with 1 replica
    And pods that end start again after 15s
    And model ctr with sub-graphs entry of 30 MB in version 1
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    When model ctr is declared and published to layout main
    And znode /gip/saved_models/ctr/entry is written with "nonsense"
    And the cluster starts
    And 150s pass
    Then for 3m the cluster is quiet
    And the cluster is whole
    When ctr:entry is declared
    Then within 1m ctr:entry is bound to every pod

  # TRN-8.15: the chief waits for an answer that the server of ps2 has given up, which INV-8 tells.
  # not-real: every choice is said, which no process keeps to
  # not-python: the reference keeps all of its faults
  @training @not-real @not-python
  Scenario: A job whose first answer was given up
    Given a training job with 1 worker and 2 PS
    And the job setting restart_after is "20s"
    And the job setting redundant_ps is "1"
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    And the choice chief/pace.import#0 is 2727
    And the choice ps0/pace.import#0 is 6156
    And the choice chief/grpc.ping#0 is 2
    When the training starts
    And 2s pass
    And ps2 becomes unreachable for 15s
    And 2s pass
    And ps1 is killed
    And 163s pass
    Then within 4m the cluster is whole

  # TRN-8.15: a worker that waits for an answer that was given up does so for good, through all later saves.
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @training @not-real @not-python
  Scenario: A worker that was cut off in a step does not come to the barriers of later saves
    Given a training job with 2 workers and 2 PS
    And the job setting save_steps is "50"
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    When the training starts
    And 187s pass
    And worker2 becomes unreachable for 15s
    And ps0 stops for 1s
    And 165s pass
    Then worker2 is at work

  # TFS-5.4: the PS does not try the version again, and the entry waits for it (agent_v1.py:145).
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v1 @not-real @not-python
  Scenario: The graph of a PS comes after its server has given up
    Given a v1 cluster of 1 shard with 1 replica
    And pods that end start again after 5s
    And the agent setting "num_ps" is "1"
    And model predict_ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    When the cluster starts
    And 1s passes
    And version 1 of predict_ctr:ps_0 is deleted
    And 1s passes
    And the export of version 2 of predict_ctr:ps_0 begins without its graph, with variables of 30 MB
    And 459s pass
    And the graph of version 2 of predict_ctr:ps_0 arrives
    And 151s pass
    Then within 4m the cluster is whole

  # TFS-5.4: no server of shard0 tries the version again, and so the entries of both shards wait (agent_v1.py:145).
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v1 @not-real @not-python
  Scenario: An entry asks for nothing while the PS of another pod has given up
    Given a v1 cluster of 2 shards with 1 replica each
    And pods that end start again after 30s
    And the agent setting "num_ps" is "2"
    And model predict_ctr with sub-graphs entry, ps_0, ps_1 of 30 MB in version 1
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    When the cluster starts
    And 10s pass
    And version 1 of predict_ctr:ps_0 is deleted
    And 1s passes
    And the export of version 2 of predict_ctr:ps_0 begins without its graph, with variables of 30 MB
    And 459s pass
    And the graph of version 2 of predict_ctr:ps_0 arrives
    And 151s pass
    Then within 4m the cluster is whole
    And for 3m the cluster is quiet

  # The PS tries once a minute (TFS-5.2), and its agent finds it, and then the entry, up to two minutes after they have opened their ports.
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v1 @not-real @not-python
  Scenario: A PS whose version came late, and an entry that starts after it
    Given a v1 cluster of 1 shard with 1 replica
    And pods that end start again after 30s
    And model predict_ctr with sub-graphs entry, ps_0, ps_1 of 30 MB in version 1
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    When the cluster starts
    And version 1 of predict_ctr:ps_0 is deleted
    And 1s pass
    And the export of version 2 of predict_ctr:ps_0 begins without its graph, with variables of 30 MB
    And 579s pass
    And the export of version 2 of predict_ctr:ps_0 begins without its graph, with variables of 30 MB for 2s
    And 152s pass
    Then for 3m the cluster is quiet
    And within 4m the cluster is whole

  # What came up late is held to the same from then on.
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v1 @Q333 @not-real @not-python
  Scenario Outline: An agent that came up late and logs an error again and again (quirks <quirks>)
    Given a v1 cluster of 1 shard with 1 replica
    And pods that end start again after 5s
    And model predict_ctr with sub-graphs entry, ps_0, ps_1 of 30 MB in version 1
    And the agents keep the quirks "<quirks>"
    And nothing is left to chance
    When the cluster starts
    And the export of version 2 of predict_ctr:ps_0 begins without its graph, with variables of 30 MB for 129s
    And 170s pass
    And version 2 of predict_ctr:ps_0 is deleted
    Then <outcome>

    Examples:
      | quirks | outcome                                 |
      | Q333   | within 5m the invariant noise is broken |
      | fixed  | for 5m the cluster is quiet             |

  # A report that meets the barrier of a save has no effect (TRN-2.8), and 30 s later the PS is healthy.
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @training @not-real @not-python
  Scenario: A PS takes less memory again before the chief looks again
    Given a training job with 2 workers and 1 PS
    And the job setting save_steps is "50"
    And the job setting ps_memory_limit is "2000000"
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    When the training starts
    And 40s pass
    And the memory of ps0 comes to 30 MB
    And 40s pass
    And the memory of ps0 comes to 1 MB
    And 150s pass
    Then for 3m the cluster is quiet

  # A model that was published again is found again, and has not been loading when it was given up.
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @not-real @not-python
  Scenario: A model is published again after its layout was deleted
    Given a v3 cluster of 1 shard with 1 replica
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    When model ctr is declared and published to layout main
    And the cluster starts
    And 30s pass
    And the export of version 2 of ctr:ps_0 begins without its variables of 30 MB for 1s
    And 2s pass
    And the export of version 2 of ctr:entry begins without its graph, with variables of 30 MB for 2s
    And version 2 of ctr:ps_0 is deleted
    And znode /gip/layouts/main is deleted
    And 30s pass
    And ctr:entry, ctr:ps_0 are published to layout main
    And 150s pass
    Then every server has served while it loaded
    And every registration was of what is served
    And within 4m the cluster is whole

  # TFS-9.2: a server that starts with a model of no version opens no port, whatever the layout says since the agent has read it.
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @not-real @not-python
  Scenario: A model whose only version was deleted is unpublished after its agent has read the layout
    Given a v3 cluster of 1 shard with 1 replica
    And model ctr with sub-graphs entry, ps_0 of 30 MB in version 1
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    When model ctr is declared and published to layout main
    And the cluster starts
    And the network between shard0-replica0 and ZooKeeper becomes slower by 1s for 2m
    And version 1 of ctr:entry is deleted
    And 15s pass
    And ctr:entry is unpublished from layout main
    And 255s pass
    Then within 4m the cluster is whole

  # The disturbance ends with the last answer that is lost, and the next round of bindings comes 30 s later.
  # not-real: every choice is said, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @not-real @not-python
  Scenario: A binding that is deleted in vain is deleted a round later
    Given a v3 cluster of 1 shard with 1 replica
    And pods that end start again after 5s
    And model ctr with sub-graphs entry, ps_0, ps_1 of 30 MB in version 1
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    And the choice shard0-replica0/pace.call#31 is 4
    When model ctr is declared and published to layout main
    And the cluster starts
    And 94s pass
    And ZooKeeper applies the next 3 requests of shard0-replica0 without answering
    And version 1 of ctr:entry is deleted
    And 150s pass
    Then no registration outlives its server

  # A write of a file that has begun goes on when other faults are over.
  # not-real: every choice is said, which no process keeps to
  # not-python: the reference keeps all of its faults
  @v3 @not-real @not-python
  Scenario: An agent that writes slowly follows what is registered once it has written
    Given a v3 cluster of 1 shard with 2 replicas
    And pods that end start again after 15s
    And model ctr with sub-graphs entry of 30 MB in version 1
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    And the choice shard0-replica1/pace.import#0 is 3438
    When model ctr is declared and published to layout main
    And the cluster starts
    And 882ms pass
    And the agent of shard0-replica1 takes 250s to write a file
    And the export of version 2 of ctr:entry begins without its graph, with variables of 30 MB for 2s
    And 1s pass
    And the agent of shard0-replica1 writes a file in one step
    And 451s pass
    Then every agent has followed what is registered

  # TRN-8.15: the chief waits 300 s for an answer whose connection was reset, and the worker for the chief.
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @training @not-real @not-python
  Scenario: A worker makes no step while the chief waits for a lost answer
    Given a training job with 1 worker and 2 PS
    And the job setting restart_after is "20s"
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    When the training starts
    And 10s pass
    And the connections of chief break for 1s
    And ps1 is killed
    And 151s pass
    Then for 3m the cluster is quiet

  # ResumeTraining removes the barrier while a checkpoint is written, and the next save waits again (TRN-2.9).
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @training @not-real @not-python
  Scenario: An operator lets the workers go on while a checkpoint is written
    Given a training job with 1 worker and 1 PS
    And the job setting save_steps is "50"
    And the job setting restart_after is "20s"
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    When the training starts
    And 30s pass
    And a checkpoint takes 125s to write
    And the operator begins to call StopTraining
    And 2s pass
    And the operator begins to call ResumeTraining
    And a checkpoint takes 2s to write
    And 150s pass
    Then for 3m the cluster is quiet

  # TRN-2.1: a worker that begins a session asks for a barrier after its first step.
  # not-real: every choice is said, which no process keeps to
  # not-python: the reference keeps all of its faults
  @training @not-real @not-python
  Scenario: A worker begins a third session at one barrier
    Given a training job with 1 worker and 1 PS
    And the job setting restart_after is "20s"
    And the job setting ps_memory_limit is "2000000"
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    And the choice chief/pace.import#0 is 2233
    When the training starts
    And the memory of ps0 comes to 3 MB
    And 10s pass
    And the connections of worker1 break for 1s
    And 1m pass
    And worker1 is killed
    And 150s pass
    Then no registration outlives its server

  # The chief initializes the variables anew, so that the steps before count no more (TRN-8.17).
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @training @not-real @not-python
  Scenario: An operator asks for a checkpoint after the chief has begun anew
    Given a training job with 1 worker and 1 PS
    And the job setting step_time is "20s"
    And the job setting restart_after is "20s"
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    When the training starts
    And 11s pass
    And chief becomes unreachable for 30s
    And 316s pass
    And the operator begins to call GetBlockStatus
    And 30s pass
    And the operator begins to call SaveCheckpoint
    And 150s pass
    Then no registration outlives its server

  # The owner of a barrier that ResumeTraining has removed removes whichever is there then (TRN-2.8), though ResumeTraining was called twice.
  # not-real: every choice is said, which no process keeps to
  # not-python: the reference keeps all of its faults
  @training @not-real @not-python
  Scenario: A save removes the barrier of a PS without memory after two calls of ResumeTraining
    Given a training job with 2 workers and 1 PS
    And the job setting save_steps is "50"
    And the job setting restart_after is "20s"
    And the job setting ps_memory_limit is "2000000"
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    And the choice worker1/pace.import#0 is 117
    When the training starts
    And 721ms pass
    And the operator begins to call StopTraining
    And 1.199s pass
    And the operator begins to call StopTraining
    And 7s pass
    And the memory of ps0 comes to 30 MB
    And 23s pass
    And the operator begins to call ResumeTraining
    And 801ms pass
    And the operator begins to call ResumeTraining
    And 150s pass
    Then no registration outlives its server

  # With Q315 repaired a chief that is cut off does not leave the PS that its workers use.
  # not-real: every choice is its default, which no process keeps to
  # not-python: the reference keeps all of its faults
  @training @not-real @not-python
  Scenario: A chief that is cut off keeps the PS of its workers
    Given a training job with 1 worker and 1 PS
    And the job setting save_steps is "50"
    And the job setting restart_after is "20s"
    And the job setting redundant_ps is "1"
    And the agents keep the quirks "fixed"
    And nothing is left to chance
    When the training starts
    And 10s pass
    And the connections of chief break for 1m
    And ps0 loses ZooKeeper for 1m
    And 210s pass
    Then for 3m the cluster is quiet
