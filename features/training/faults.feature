# not-python: the reference trains with operations of its own, which are in its tree as C++ for a patched TensorFlow and are not built here
@not-python
Feature: Faults of a training job, and what repairs them

  # TRN-2.7, TRN-2.9: discovery knows that the worker is gone once its session is.
  @TRN-S9 @Q239
  Scenario: A worker that died at the barrier is blocked for the operator
    Given a training job with 2 workers and 1 PS
    When the training starts
    Then within 3m the global step is 150 or more
    When the operator calls StopTraining
    Then within 4s the workers at the barrier are "1, 2"
    When worker2 is killed
    And 15s pass
    And the operator calls GetBlockStatus
    Then the operator's call is answered with "blocked_indices:0 blocked_indices:1 blocked_indices:2"

  @TRN-S9 @Q239
  Scenario: A worker that died at the barrier is not blocked once discovery knows
    Given a training job with 2 workers and 1 PS
    And the agents keep all quirks but Q239
    When the training starts
    Then within 3m the global step is 150 or more
    When the operator calls StopTraining
    Then within 4s the workers at the barrier are "1, 2"
    When worker2 is killed
    And 15s pass
    And the operator calls GetBlockStatus
    Then the operator's call is answered with "blocked_indices:0 blocked_indices:1 unblocked_indices:2"

  @TRN-S11 @Q239
  Scenario: The end of the chief does not wait for a worker that discovery does not have
    Given a training job with 2 workers and 1 PS
    And the agents keep all quirks but Q239
    And the job setting max_steps is "400"
    When the training starts
    Then within 3m the global step is 200 or more
    When worker2 is killed
    Then within 5m worker1 has ended with exit code 0
    And within 35s chief has ended with exit code 0

  # TRN-8.7: two calls at one step.
  @Q242
  Scenario: Saves that are asked for twice at one step both save
    Given a training job with 0 workers and 1 PS
    And the job setting step_time is "2m"
    When the training starts
    Then within 5m the global step is 1 or more
    When the operator calls SaveCheckpoint
    And the operator calls SaveCheckpoint
    Then 2 checkpoints were saved

  @Q242
  Scenario: A step that was saved last is not saved again
    Given a training job with 0 workers and 1 PS
    And the agents keep all quirks but Q242
    And the job setting step_time is "2m"
    When the training starts
    Then within 5m the global step is 1 or more
    When the operator calls SaveCheckpoint
    And the operator calls SaveCheckpoint
    Then 1 checkpoint was saved
    And within 3m the global step is 2 or more
    When the operator calls SaveCheckpoint
    Then 2 checkpoints were saved

  # TRN-8.7: bytes that are no text.
  @Q244 @Q327
  Scenario: A chief that finds a monolith_checkpoint of bytes that are no text ends
    Given a training job with 0 workers and 1 PS
    And the job setting save_steps is "10"
    When the training starts
    Then within 2m checkpoint 10 is listed
    When the stored file /train/model/monolith_checkpoint is garbled
    Then within 1m chief has ended with exit code 1
    And within 5s ps0 has ended with exit code 0

  @Q244
  Scenario: A monolith_checkpoint of bytes that are no text is ignored, and written anew
    Given a training job with 0 workers and 1 PS
    And the agents keep all quirks but Q244
    And the job setting save_steps is "10"
    When the training starts
    Then within 2m checkpoint 10 is listed
    When the stored file /train/model/monolith_checkpoint is garbled
    Then within 1m checkpoint 20 is listed
    And chief is at work

  # TRN-6.4: torn files lose nothing that was good before.
  Scenario: A job whose list of checkpoints was torn goes on, and lists what it saves
    Given a training job with 0 workers and 1 PS
    And the job setting save_steps is "10"
    When the training starts
    Then within 2m checkpoint 20 is listed
    When the stored file /train/model/checkpoint is torn
    Then within 1m checkpoint 30 is listed
    And checkpoint 20 is listed
    And every checkpoint that is listed is stored
    And chief is at work

  # TRN-2.13: a list that is there and cannot be read is read six times, and is an error then.
  @Q327
  Scenario: A chief that finds a torn list of checkpoints ends, and goes on once the list is mended
    Given a training job with 0 workers and 1 PS
    And the job setting save_steps is "10"
    And the job setting restart_after is "1m"
    When the training starts
    Then within 2m checkpoint 20 is listed
    When the stored file /train/model/checkpoint is torn
    And chief is killed
    Then within 65s chief was started 2 times
    And within 40s chief has ended with exit code 1
    And within 5s ps0 has ended with exit code 0
    When ps0 is started again
    And the stored file /train/model/checkpoint is written with "model_checkpoint_path: 'model.ckpt-20' all_model_checkpoint_paths: 'model.ckpt-10' all_model_checkpoint_paths: 'model.ckpt-20'"
    Then within 2m a checkpoint was restored 1 time
    And within 1m checkpoint 30 is listed
    And every checkpoint that is listed is stored

  # TRN-8.15: of a connection over which nothing arrives a call hears nothing.
  Scenario: A job whose PS is unreachable stands still, and nobody is told
    Given a training job with 1 worker and 2 PS
    And the job setting save_every is "20s"
    When the training starts
    Then within 3m the global step is 150 or more
    When ps1 is unreachable for 150s
    Then chief has tried again 0 times
    And worker1 has tried again 0 times
    And a checkpoint was restored 0 times
    And the global step is 200 or less
    And worker1 is at work

  # TRN-8.15: what waits goes on when a packet of it arrives.
  Scenario: A job whose PS was unreachable for a moment goes on where it was
    Given a training job with 1 worker and 2 PS
    And the job setting save_every is "20s"
    When the training starts
    Then within 3m the global step is 150 or more
    When ps1 is unreachable for 10s
    Then within 4m the global step is 300 or more
    And chief has tried again 0 times
    And worker1 has tried again 0 times
    And a checkpoint was restored 0 times
    And ps1 was started 1 time

  # TRN-8.15: a server gives up an answer that is not heard for 20 s, and who waits for it is not told.
  # not-real: what the kernel sends again keeps the wall clock, and Go's gRPC gives no answer up after 20 s
  @not-real @tensorflow
  Scenario: A job whose PS was unreachable for 40s stands still, until the PS is started again
    Given a training job with 1 worker and 2 PS
    And the job setting save_every is "1m"
    And the job setting restart_after is "20s"
    When the training starts
    Then within 3m 1 checkpoint was saved
    When 10s pass
    And ps1 is unreachable for 40s
    And 3m pass
    Then 1 checkpoint was saved
    And chief has tried again 0 times
    And worker1 has tried again 0 times
    When ps1 is killed
    Then within 5s chief has tried again 1 time
    And within 5s worker1 has tried again 1 time
    And within 4m a checkpoint was restored 1 time
    And within 3m 2 checkpoints were saved

  # TRN-8.15: what arrives at a stopped process is kept for it, and its session of ZooKeeper ends.
  # not-real: a process that was stopped opens its session up to 200 s later there, for a reason that is open
  @not-real @tensorflow
  Scenario: A job whose PS is stopped waits for it, and goes on where it was
    Given a training job with 1 worker and 2 PS
    And the job setting save_every is "20s"
    When the training starts
    Then within 3m the global step is 150 or more
    When ps0 is stopped for 5s
    And ps0 stops
    And 40s pass
    Then discovery does not have ps0
    And the global step is 200 or less
    When ps0 goes on
    Then within 30s discovery has ps0 at its address
    And within 4m the global step is 300 or more
    And chief has tried again 0 times
    And worker1 has tried again 0 times
    And a checkpoint was restored 0 times
    And ps0 was started 1 time

  # TRN-8.15: who sends is reset, and not who waits for an answer. The health check of the chief ends its step.
  # not-real: there a step calls its PS at its end, and no PS waits for tensors of it
  @not-real @tensorflow
  Scenario: A chief whose PS refuses it goes on from its last checkpoint, and a worker waits for ever
    Given a training job with 1 worker and 2 PS
    And the job setting save_every is "1m"
    And the job setting step_time is "5s"
    When the training starts
    Then within 3m 1 checkpoint was saved
    When 13s pass
    And the connections of ps1 are refused
    Then within 36s chief has tried again 1 time
    When 100s pass
    Then chief has tried again 4 times
    When the connections of ps1 are accepted again
    Then within 31s chief has tried again 5 times
    And within 31s a checkpoint was restored 1 time
    And worker1 has tried again 0 times
    And worker1 is at work
    And ps1 was started 1 time

  # TRN-2.8: a step of ten minutes, so that only the health check meets the PS.
  # not-real: a PS of this machine takes what it takes
  @Q240 @not-real
  Scenario: A health check that a PS refuses ends, and nobody hears of its memory
    Given a training job with 1 worker and 2 PS
    And the job setting step_time is "10m"
    And the job setting ps_memory_limit is "2000000"
    When the training starts
    And 2m pass
    And the connections of ps1 are refused for 35s
    And the memory of ps1 comes to 3 MB
    Then for 5m no barrier is placed

  # not-real: a PS of this machine takes what it takes
  @Q240 @not-real
  Scenario: A health check that goes on hears of the memory of a PS that is back
    Given a training job with 1 worker and 2 PS
    And the agents keep all quirks but Q240
    And the job setting step_time is "10m"
    And the job setting ps_memory_limit is "2000000"
    When the training starts
    And 2m pass
    And the connections of ps1 are refused for 35s
    And the memory of ps1 comes to 3 MB
    Then within 62s ps1 was reported as not healthy 1 time
    And within 1s the barrier is placed

  # TRN-2.18: the chief tells the master, which ends what is left.
  # not-real: the application master is one of the simulation
  @not-real
  Scenario: The application master ends a job that is done
    Given a training job with 1 worker and 1 PS
    And the job setting application_master is "true"
    And the job setting keep_ps is "true"
    And the job setting max_steps is "300"
    When the training starts
    Then within 5m chief has ended with exit code 0
    And ps0 is at work
    And within 21s ps0 has ended with exit code -9

  # not-real: the application master is one of the simulation
  @Q327 @not-real
  Scenario: The application master ends a job that has failed, and nothing starts again
    Given a training job with 1 worker and 1 PS
    And the job setting application_master is "true"
    And the job setting save_steps is "50"
    And the job setting restart_after is "5s"
    When the training starts
    And the next 2 writes of a checkpoint fail
    Then within 5m chief has ended with exit code 1
    And within 21s worker1 has ended with exit code -9
    And ps0 has ended with exit code 0
    And for 1m chief was started 1 time

  # TRN-2.18: a call of 10 s, after which the chief ends all the same.
  # not-real: the application master is one of the simulation
  @not-real
  Scenario: A chief whose application master is unreachable ends, and the others stay
    Given a training job with 1 worker and 1 PS
    And the job setting application_master is "true"
    And the job setting keep_ps is "true"
    And the job setting max_steps is "300"
    When the training starts
    Then within 3m the global step is 100 or more
    When the application master becomes unreachable for 10m
    Then within 5m chief has ended with exit code 0
    And for 5m ps0 is at work

  # TRN-2.22: what fails while the cluster is looked for again is captured by nobody.
  # not-real: the application master is one of the simulation
  @Q257 @not-real
  Scenario: A chief that cannot look for its cluster again is reported as one that is done
    Given a training job with 1 worker and 2 PS
    And the job setting discovery is "consul"
    And the job setting application_master is "true"
    When the training starts
    Then within 1m the global step is 10 or more
    When Consul goes down
    And ps1 is killed
    Then within 2m chief has ended with exit code 1
    And the application was reported as "succeeded" 1 time

  # not-real: the application master is one of the simulation
  @Q257 @not-real
  Scenario: A chief that cannot look for its cluster again is reported as one that has failed
    Given a training job with 1 worker and 2 PS
    And the agents keep all quirks but Q257
    And the job setting discovery is "consul"
    And the job setting application_master is "true"
    When the training starts
    Then within 1m the global step is 10 or more
    When Consul goes down
    And ps1 is killed
    Then within 2m chief has ended with exit code 1
    And the application was reported as "failed" 1 time

  Scenario: An application that is killed is over
    Given a training job with 1 worker and 1 PS
    And the job setting restart_after is "5s"
    When the training starts
    Then within 3m the global step is 100 or more
    When the application is killed
    Then chief has ended with exit code -9
    And worker1 has ended with exit code -9
    And ps0 has ended with exit code -9
    And for 1m worker1 was started 1 time

  # TRN-8.8, by the case that was recorded: what a callback leaves behind that raises.
  # not-real: a recorded case is asked of the code, without a cluster
  @Q237 @not-real
  Scenario: A callback that raises leaves the barrier, and a worker's flag, set
    Given the recorded case barrier_ops.BarrierOp.sequence/callback-fails
    When it is answered as the reference does
    Then step 2 returns true
    And step 5 returns [1]
    When it is answered with Q237 repaired
    Then step 2 returns false
    And step 5 returns []

  # TRN-8.7, by cases that were recorded.
  # not-real: a recorded case is asked of the code, without a cluster
  @Q242 @not-real
  Scenario: A saver of dense variables takes step 0 for saved
    Given the recorded case save_utils.NoFirstSaveCheckpointSaverHook.sequence/dense-only-step-0
    When it is answered as the reference does
    Then the answer at "steps > 1 > log" is [["export_meta_graph", "m/meta_graph_for_debugging.pb"]]
    When it is answered with Q242 repaired
    Then the answer at "steps > 1 > log" has ["save", "m/model.ckpt-0", "ok"] 1 time

  # not-real: a recorded case is asked of the code, without a cluster
  @Q243 @not-real
  Scenario: A save that is asked for while the timer is off is none
    Given the recorded case save_utils.NoFirstSaveCheckpointSaverHook.sequence/timer-off
    When it is answered as the reference does
    Then the answer at "steps > 3 > log" is []
    When it is answered with Q243 repaired
    Then the answer at "steps > 3 > log" has ["save", "m/model.ckpt-0", "ok"] 1 time

  # not-real: a recorded case is asked of the code, without a cluster
  @Q243 @not-real
  Scenario: A save that is asked for before the first one is eaten
    Given the recorded case save_utils.NoFirstSaveCheckpointSaverHook.sequence/trigger-before-first
    When it is answered as the reference does
    Then the answer at "steps > 1 > log" is []
    When it is answered with Q243 repaired
    Then the answer at "steps > 1 > log" has ["save", "m/model.ckpt-0", "ok"] 1 time

  # TRN-8.9, by a case that was recorded.
  # not-real: a recorded case is asked of the code, without a cluster
  @Q245 @not-real
  Scenario: Equal hours without minutes cannot be compared
    Given the recorded case session_run_hooks.before/no-minutes-equal-hours
    When it is answered as the reference does
    Then the answer raises TypeError
    When it is answered with Q245 repaired
    Then the answer is false

  # TRN-2.9: the client reads the file at each call.
  Scenario: A controller is called while there is none, and when it is back
    Given a training job with 1 worker and 1 PS
    And the job setting restart_after is "20s"
    When the operator calls StopTraining
    Then the operator's call raises NotFoundError
    When the training starts
    Then within 1m the global step is 10 or more
    When chief is killed
    And the operator calls StopTraining
    Then the operator's call fails with UNAVAILABLE "failed to connect to all addresses"
    And within 3m chief was started 2 times
    When 2m pass
    And the operator calls StopTraining
    Then the operator's call is answered with ""
    When the operator calls StopTraining
    Then the operator's call fails with ALREADY_EXISTS "Barrier is placed already."

  # TRN-2.9, TRN-6.4: what is left of an address leads nowhere, and hurts nobody.
  Scenario: An address file that is torn is an error of each call, and not of the job
    Given a training job with 1 worker and 1 PS
    When the training starts
    Then within 1m the global step is 10 or more
    When the stored file /train/model/controller_server_addr.txt is torn
    And the operator calls StopTraining
    Then the operator's call fails with UNAVAILABLE "failed to connect to all addresses"
    When the stored file /train/model/controller_server_addr.txt is garbled
    And the operator calls StopTraining
    Then the operator's call raises UnicodeDecodeError
    And no barrier is placed
    And within 1m the global step is 30 or more

  # TRN-2.10, TRN-2.12: the time counts from the end of a save; nobody makes steps meanwhile.
  # not-real: a disk of this machine takes what it takes
  @not-real
  Scenario: Saves that take longer than the time between them hold the workers up
    Given a training job with 1 worker and 1 PS
    And the job setting save_every is "20s"
    When the training starts
    Then within 1m 1 checkpoint was saved
    When a checkpoint takes 1m to write
    And 10m pass
    Then worker1 is at work
    And chief is at work
    And every checkpoint that is listed is stored
    And the global step is 500 or less
