# not-python: the reference trains with operations of its own, which are in its tree as C++ for a patched TensorFlow and are not built here
@not-python
Feature: Barriers of a training job

  # TRN-2.9 and TRN-2.12, over the gRPC of the controller.
  @TRN-S5
  Scenario: An operator stops a job, saves, and lets it go on
    Given a training job with 2 workers and 1 PS
    When the training starts
    Then within 3m the global step is 150 or more
    When the operator calls StopTraining
    Then the operator's call is answered with ""
    And within 4s the workers at the barrier are "1, 2"
    When the operator calls GetBlockStatus
    Then the operator's call is answered with "blocked_indices:0 blocked_indices:1 blocked_indices:2"
    When the operator calls SaveCheckpoint
    Then the operator's call is answered with ""
    And 1 checkpoint was saved
    And the workers at the barrier are "1, 2"
    When the operator calls ResumeTraining
    Then the operator's call is answered with ""
    And within 2s the workers at the barrier are ""

  # TRN-2.10: the listener of saves removes a barrier only where it has placed it.
  @TRN-S6
  Scenario: A save leaves the barrier of an operator where it is
    Given a training job with 1 worker and 1 PS
    And the job setting save_every is "150s"
    When the training starts
    Then within 3m the global step is 150 or more
    When the operator calls StopTraining
    Then within 3m 1 checkpoint was saved
    And for 2m the barrier is placed
    And the workers at the barrier are "1"

  @TRN-S6
  Scenario: A stop during a save is refused
    Given a training job with 1 worker and 1 PS
    And the job setting save_time is "20s"
    When the training starts
    Then within 3m the global step is 150 or more
    When the operator begins to call SaveCheckpoint
    Then within 10s the barrier is placed
    When the operator calls StopTraining
    Then the operator's call fails with ALREADY_EXISTS "Barrier is placed already."
    And within 40s no barrier is placed

  # TRN-2.8: the check of the PS health stops the workers; only an operator lets them go on.
  # not-real: a PS of this machine takes what it takes
  @TRN-S7 @not-real
  Scenario: A PS whose memory is full stops the workers until an operator lets them go on
    Given a training job with 2 workers and 2 PS
    And the job setting ps_memory_limit is "2000000"
    When the training starts
    Then within 3m the global step is 150 or more
    When the memory of ps1 comes to 3 MB
    Then within 32s ps1 was reported as not healthy 1 time
    And within 4s the workers at the barrier are "1, 2"
    And for 10m the barrier is placed
    When the operator calls ResumeTraining
    Then within 2s the workers at the barrier are ""
    And for 5m ps1 was reported as not healthy 1 time

  # TRN-2.8: a barrier that is there already ends the thread of the check.
  # not-real: a PS of this machine takes what it takes
  @TRN-S8 @Q240 @not-real
  Scenario: A PS whose memory fills while a barrier is placed is forgotten with the check
    Given a training job with 1 worker and 1 PS
    And the job setting ps_memory_limit is "2000000"
    When the training starts
    Then within 3m the global step is 150 or more
    When the operator calls StopTraining
    And the memory of ps0 comes to 3 MB
    Then within 32s ps0 was reported as not healthy 1 time
    When the operator calls ResumeTraining
    Then for 10m no barrier is placed

  # not-real: a PS of this machine takes what it takes
  @TRN-S8 @Q240 @not-real
  Scenario: A check that goes on stops the workers once the barrier is free
    Given a training job with 1 worker and 1 PS
    And the agents keep all quirks but Q240
    And the job setting ps_memory_limit is "2000000"
    When the training starts
    Then within 3m the global step is 150 or more
    When the operator calls StopTraining
    And the memory of ps0 comes to 3 MB
    Then within 32s ps0 was reported as not healthy 1 time
    When the operator calls ResumeTraining
    Then within 32s the barrier is placed

  # TRN-2.7: a flag stays with nobody behind it.
  @TRN-S9 @Q239 @long
  Scenario: A worker that dies at the barrier counts as blocked
    Given a training job with 2 workers and 1 PS
    When the training starts
    Then within 3m the global step is 150 or more
    When the operator calls StopTraining
    Then within 4s the workers at the barrier are "1, 2"
    When worker2 is killed
    And the operator calls ResumeTraining
    Then within 2s the workers at the barrier are "2"
    And for 10m the workers at the barrier are "2"

  # TRN-2.7: a barrier that is placed again within the second of a worker's poll.
  @TRN-S10 @Q238
  Scenario: A worker does not notice that the barrier was removed and placed again
    Given a training job with 1 worker and 1 PS
    When the training starts
    Then within 3m the global step is 150 or more
    When the operator calls StopTraining
    Then within 4s the workers at the barrier are "1"
    And within 1s worker1 has come to the barrier "" 1 time
    When the operator calls ResumeTraining
    And the operator calls StopTraining
    Then for 10s the workers at the barrier are "1"
    And worker1 has come to the barrier "" 1 time

  @TRN-S10 @Q238
  Scenario: A worker that counts barriers blocks anew at the second one
    Given a training job with 1 worker and 1 PS
    And the agents keep all quirks but Q238
    When the training starts
    Then within 3m the global step is 150 or more
    When the operator calls StopTraining
    Then within 4s the workers at the barrier are "1"
    And within 1s worker1 has come to the barrier "" 1 time
    When the operator calls ResumeTraining
    And the operator calls StopTraining
    Then within 2s worker1 has come to the barrier "" 2 times
    And for 10s the workers at the barrier are "1"

  # TRN-8.17: what the session of a worker clears.
  @Q332
  Scenario Outline: A worker that begins while a save waits for it takes the barrier for that of an operator (quirks <quirks>)
    Given a training job with 2 workers and 1 PS
    And the agents keep the quirks "<quirks>"
    When the training starts
    Then within 3m the global step is 150 or more
    When worker2 is killed
    And the operator begins to call SaveCheckpoint
    Then within 5s the workers at the barrier are "1"
    And worker1 has come to the barrier "Save" 1 time
    When worker2 is started again
    Then within 40s worker2 has come to the barrier "<action>" 1 time

    Examples:
      | quirks | action |
      | python |        |
      | -Q332  | Save   |

  # TRN-2.10: what an operator asks for in a file.
  Scenario: A save that is asked for in a file is answered there
    Given a training job with 1 worker and 1 PS
    When the training starts
    Then within 3m the global step is 150 or more
    When the operator requests the action "action: STOP"
    Then within 62s the stored file /train/model/monolith_action_response has "OK"
    And the stored file /train/model/monolith_action does not exist
    And within 2m chief has ended with exit code 0
    And worker1 has ended with exit code 0

  @Q241
  Scenario: An action that nobody knows is never answered
    Given a training job with 1 worker and 1 PS
    When the training starts
    Then within 3m the global step is 150 or more
    When the operator requests the action "action: UNKNOWN"
    Then within 62s the stored file /train/model/monolith_action does not exist
    And for 5m the stored file /train/model/monolith_action_response does not exist

  @Q241
  Scenario: An action that nobody knows is answered as such
    Given a training job with 1 worker and 1 PS
    And the agents keep all quirks but Q241
    When the training starts
    Then within 3m the global step is 150 or more
    When the operator requests the action "action: UNKNOWN"
    Then within 62s the stored file /train/model/monolith_action_response has "unknown action UNKNOWN"

  # TRN-4.2: the barrier of the PS service, with a worker that is late.
  @TRN-S16
  Scenario: A PS barrier forgets a worker whose time is over
    Given a training job with 1 worker and 1 PS
    When the training starts
    Then within 10s discovery has ps0 at its address
    When worker 0 of 2 arrives at the PS barrier step1 for 5s
    And 6s pass
    Then arrival 1 is answered with "Barrier timeout"
    When worker 1 of 2 arrives at the PS barrier step1 for 5s
    And 1s pass
    Then arrival 2 is answered with "waits"
    When worker 0 of 2 arrives at the PS barrier step1 for 5s
    And 1s pass
    Then arrival 2 is answered with "released with 2"
    And arrival 3 is answered with "released with 2"

  @TRN-S16
  Scenario: The PS barrier of f415ff3 lets one worker through alone after a time-out
    Given a training job with 1 worker and 1 PS
    And the job setting defective_ps_barrier is "true"
    When the training starts
    Then within 10s discovery has ps0 at its address
    When worker 0 of 2 arrives at the PS barrier step1 for 5s
    And 6s pass
    Then arrival 1 is answered with "Barrier timeout"
    When worker 1 of 2 arrives at the PS barrier step1 for 5s
    And 1s pass
    Then arrival 2 is answered with "released with 2"

  # TRN-4.1: each step has a barrier of its own, which is released when all workers are there.
  # not-real: the workers of a local cluster are no processes
  @TRN-S15 @not-real
  Scenario: A straggler holds up the barrier of its step, and who was too late stays counted
    Given a training job with 0 workers and 1 PS
    When a local cluster of 2 workers starts
    And local worker 0 makes 1 step
    And local worker 0 waits at its barrier for 2s
    And 1s pass
    Then wait 1 is answered with "waits"
    When 2s pass
    Then wait 1 is answered with "Barrier timeout at epoch 1 after 2000 ms"
    When local worker 1 makes 1 step
    And local worker 1 waits at its barrier for 5s
    Then wait 2 is answered with "Released { epoch: 1, participants: 2 }"
    When local worker 0 waits at its barrier for 5s
    Then wait 3 is answered with "Released { epoch: 1, participants: 2 }"
    When local worker 1 makes 2 steps
    And local worker 1 waits at its barrier for 1m
    And local worker 0 makes 1 step
    And local worker 0 waits at its barrier for 1s
    And 2s pass
    Then wait 4 is answered with "waits"
    And wait 5 is answered with "Barrier timeout at epoch 2 after 1000 ms"

  # TRN-8.16: the old session is closed, and the new one initializes local variables, which those of the barrier are.
  # not-real: two processes of this machine do not stop at the instant that it takes
  @not-real
  Scenario: The barrier of a save whose session was closed goes with the next session
    Given a training job with 1 worker and 2 PS
    And nothing is left to chance
    And the job setting partial_recovery is "true"
    And the job setting save_steps is "100"
    And the job setting restart_after is "30s"
    When the training starts
    Then within 3m 1 checkpoint was saved
    When 10s pass
    And worker1 is killed
    And the operator begins to call SaveCheckpoint
    Then within 1s the barrier is placed
    When ps1 is killed
    Then within 10s the operator's call fails with UNKNOWN "Exception calling application: Attempted to use a closed Session."
    And the barrier is placed
    And within 3m a checkpoint was restored 1 time
    And no barrier is placed
    And within 3m 2 checkpoints were saved
