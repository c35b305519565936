# not-python: the reference trains with operations of its own, which are in its tree as C++ for a patched TensorFlow and are not built here
@not-python
Feature: The life of a training job

  Scenario: A job trains, saves and ends, and its PS end with it
    Given a training job with 2 workers and 2 PS
    And the job setting max_steps is "300"
    And the job setting save_every is "30s"
    When the training starts
    Then within 2m the global step is 30 or more
    And within 5m chief has ended with exit code 0
    And within 5s ps0 has ended with exit code 0
    And worker1 has ended with exit code 0
    And every checkpoint that is listed is stored

  Scenario: A job that is started again goes on from its last checkpoint
    Given a training job with 1 worker and 1 PS
    And the job setting save_every is "20s"
    And the job setting restart_after is "20s"
    When the training starts
    Then within 3m the global step is 100 or more
    When chief is killed
    Then within 5m a checkpoint was restored 1 time
    And worker1 was started 1 time
    And worker1 has tried again 0 times
    And within 3m the global step is 60 or more
    And worker1 is at work

  # TRN-8.11: a step needs nothing of the chief, whose restore takes the count of all back.
  Scenario: Workers train on while their chief is gone, and lose the steps with its restore
    Given a training job with 1 worker and 2 PS
    And the job setting save_every is "20s"
    And the job setting restart_after is "60s"
    When the training starts
    Then within 3m the global step is 100 or more
    When chief is killed
    Then within 50s the global step is 140 or more
    And a checkpoint was restored 0 times
    And within 30s a checkpoint was restored 1 time
    And the global step is 110 or less
    And worker1 has tried again 0 times
    And worker1 is at work

  # TRN-8.11: the session of the worker knows the chief of before, whose flag it takes down in the end.
  Scenario: A worker whose chief was started again fails at its end
    Given a training job with 1 worker and 1 PS
    And the job setting discovery is "primus"
    And the job setting save_steps is "20"
    And the job setting max_steps is "150"
    When the training starts
    Then within 3m the global step is 60 or more
    When chief is killed
    And chief is started again
    Then within 1m a checkpoint was restored 1 time
    And within 5m worker1 has ended with exit code 1
    And within 3m chief has ended with exit code 0

  Scenario: Workers train on without a chief that never comes back, and nothing is saved any more
    Given a training job with 2 workers and 1 PS
    And the job setting save_every is "20s"
    When the training starts
    Then within 3m 1 checkpoint was saved
    When chief is killed
    And 10m pass
    Then the global step is 1200 or more
    And worker1 has tried again 0 times
    And worker2 has tried again 0 times
    And chief has ended with exit code -9

  # TRN-8.12: a call that begins while its server is gone waits without GRPC_FAIL_FAST.
  # not-real: processes of this machine fail fast
  @not-real @tensorflow
  Scenario: Without failing fast a worker at a barrier does not notice that its PS is gone
    Given a training job with 1 worker and 2 PS
    And the job setting fail_fast is "false"
    And the job setting save_every is "20s"
    And the job setting restart_after is "10m"
    When the training starts
    Then within 3m 1 checkpoint was saved
    When the operator calls StopTraining
    Then within 4s the workers at the barrier are "1"
    When ps0 is killed
    Then for 9m worker1 has tried again 0 times
    And within 4m a checkpoint was restored 1 time
    And within 2m the global step is 30 or more
    And worker1 was started 1 time

  # not-real: processes of this machine fail fast
  @not-real @tensorflow
  Scenario: Failing fast a worker at a barrier tries again at once when its PS is gone
    Given a training job with 1 worker and 2 PS
    And the job setting save_every is "20s"
    And the job setting restart_after is "10m"
    When the training starts
    Then within 3m 1 checkpoint was saved
    When the operator calls StopTraining
    Then within 4s the workers at the barrier are "1"
    When ps0 is killed
    Then within 2s worker1 has tried again 1 time

  # TRN-8.12: the step fails with its PS, and the end of the session waits for the address of before.
  # not-real: processes of this machine fail fast
  @not-real @tensorflow
  Scenario: Without failing fast a job whose PS comes back at another address stands still
    Given a training job with 1 worker and 2 PS
    And the job setting fail_fast is "false"
    And the job setting save_every is "20s"
    And the job setting restart_after is "20s"
    When the training starts
    Then within 3m the global step is 100 or more
    When ps1 is killed
    Then within 50s ps1 was started 2 times
    And for 3m chief has tried again 0 times
    And worker1 has tried again 0 times
    And a checkpoint was restored 0 times

  # not-real: processes of this machine fail fast
  @not-real @tensorflow
  Scenario: Without failing fast a job whose PS comes back at its address goes on
    Given a training job with 1 worker and 2 PS
    And the job setting fail_fast is "false"
    And the job setting discovery is "primus"
    And the job setting save_every is "20s"
    And the job setting restart_after is "20s"
    When the training starts
    Then within 3m the global step is 100 or more
    When ps1 is killed
    Then within 5m a checkpoint was restored 1 time
    And within 3m the global step is 100 or more
    And ps1 was started 2 times

  # TRN-2.22: another address of a PS is another cluster.
  @TRN-S14
  Scenario: A PS that dies takes its variables along, and the job goes back to its last checkpoint
    Given a training job with 2 workers and 2 PS
    And the job setting save_every is "20s"
    And the job setting restart_after is "20s"
    When the training starts
    Then within 3m the global step is 150 or more
    When ps1 is killed
    Then within 1m chief has tried again 1 time
    And within 5m a checkpoint was restored 1 time
    And within 5m the global step is 150 or more
    And chief was started 1 time
    And ps1 was started 2 times

  # TRN-2.12: only the first PS has the global step.
  Scenario: With partial recovery only the PS that died begins again with the checkpoint
    Given a training job with 2 workers and 2 PS
    And the job setting partial_recovery is "true"
    And the job setting save_steps is "100"
    And the job setting restart_after is "20s"
    When the training starts
    Then within 3m 1 checkpoint was saved
    And within 2m the global step is 180 or more
    When ps1 is killed
    Then within 1m chief has tried again 1 time
    And within 5m a checkpoint was restored 1 time
    And the global step is 180 or more

  Scenario: With partial recovery the PS that counts the steps takes them along
    Given a training job with 2 workers and 2 PS
    And the job setting partial_recovery is "true"
    And the job setting save_steps is "100"
    And the job setting restart_after is "20s"
    When the training starts
    Then within 3m 1 checkpoint was saved
    And within 2m the global step is 180 or more
    When ps0 is killed
    Then within 1m chief has tried again 1 time
    And within 5m a checkpoint was restored 1 time
    And the global step is 160 or less

  # TRN-2.22: in a cluster that has changed a job is tried again max_retries times.
  @Q327
  Scenario: A PS that dies ends the job, its PS included, where nothing is tried again
    Given a training job with 1 worker and 2 PS
    And the job setting max_retries is "0"
    And the job setting save_every is "20s"
    And the job setting restart_after is "20s"
    When the training starts
    Then within 3m the global step is 100 or more
    When ps1 is killed
    Then within 2m worker1 has ended with exit code 1
    And within 1m chief has ended with exit code 1
    And within 5s ps0 has ended with exit code 0
    And within 5s ps1 has ended with exit code 0
    And ps1 was started 2 times
    When 1m pass
    Then chief is at work
    And ps0 was started 1 time

  @Q327
  Scenario: Without the fault a PS that dies ends no other, and the job goes on once its chief is started again
    Given a training job with 1 worker and 2 PS
    And the agents keep all quirks but Q327
    And the job setting max_retries is "0"
    And the job setting save_every is "20s"
    And the job setting restart_after is "20s"
    When the training starts
    Then within 3m the global step is 100 or more
    When ps1 is killed
    Then within 3m chief has ended with exit code 1
    And within 1m a checkpoint was restored 1 time
    And within 3m the global step is 150 or more
    And ps0 was started 1 time

  # TRN-8.14: the session that ends the PS needs all of them.
  @Q327
  Scenario: A chief that fails while a PS is gone ends none of them
    Given a training job with 1 worker and 2 PS
    And the job setting discovery is "consul"
    When the training starts
    Then within 1m the global step is 10 or more
    When Consul answers with HTML
    And ps1 is killed
    Then within 2m chief has ended with exit code 1
    And for 1m ps0 is at work

  # TRN-2.21, TRN-2.22: the job works with those that it needs, and ends all.
  Scenario: A redundant PS ends with the others
    Given a training job with 1 worker and 2 PS
    And the job setting redundant_ps is "1"
    And the job setting max_steps is "100"
    When the training starts
    Then within 3m chief has ended with exit code 0
    And within 5s ps0 has ended with exit code 0
    And within 5s ps1 has ended with exit code 0
    And within 5s ps2 has ended with exit code 0

  # TRN-2.22: the chief looks for all PS before it ends them.
  @long
  Scenario: A redundant PS that has died keeps the chief, and the PS, from ever ending
    Given a training job with 1 worker and 2 PS
    And the job setting redundant_ps is "1"
    And the job setting max_steps is "100"
    When the training starts
    Then within 1m the global step is 10 or more
    When ps2 is killed
    Then within 3m worker1 has ended with exit code 0
    And for 2h chief is at work
    And ps0 is at work

  # TRN-2.22: every 30 s, and once more at the end, which waits for it.
  Scenario: The heartbeat of a training stops before its PS end
    Given a training job with 0 workers and 1 PS
    And the job setting max_steps is "100"
    And the job setting step_time is "1s"
    When the training starts
    Then within 40s the heartbeat of the training began to say "running" 1 time
    And within 75s the global step is 100 or more
    And for 5s ps0 is at work
    And the heartbeat of the training began to say "stopped" 0 times
    And within 32s the heartbeat of the training began to say "stopped" 1 time
    And within 5s ps0 has ended with exit code 0
    And chief has ended with exit code 0

  Scenario: The heartbeat of a chief that is killed says nothing of it
    Given a training job with 0 workers and 1 PS
    When the training starts
    Then within 40s the heartbeat of the training began to say "running" 1 time
    When chief is killed
    Then for 2m the heartbeat of the training began to say "stopped" 0 times

  # TRN-2.12: worker 1 begins at step 69, 100*ln(1+1), worker 2 at 109; saves do not wait for those that have not begun
  # longer than 30 s.
  Scenario: Workers begin one after the other
    Given a training job with 2 workers and 1 PS
    And the job setting slow_start_steps is "100"
    And the job setting save_steps is "20"
    When the training starts
    Then within 3m 2 checkpoints were saved
    And worker1 has come to the barrier "Save" 0 times
    And within 5m worker1 has come to the barrier "Save" 1 time
    And the global step is 69 or more
    And worker2 has come to the barrier "Save" 0 times
    And within 5m worker2 has come to the barrier "Save" 1 time
    And the global step is 109 or more

  # TRN-2.12: five minutes, and up to ten more at random; then two processes make steps.
  Scenario: Workers whose step does not come begin when they have waited enough
    Given a training job with 1 worker and 1 PS
    And the job setting slow_start_steps is "1000000"
    And the job setting max_slow_start is "5m"
    When the training starts
    And 5m pass
    Then the global step is 305 or less
    When 20m pass
    Then the global step is 1900 or more

  # TRN-2.11: a worker that crashed leaves its flag, and the chief waits its full time.
  @TRN-S11 @Q239 @long
  Scenario: The end of the chief takes half an hour when a worker has died
    Given a training job with 2 workers and 1 PS
    And the job setting max_steps is "400"
    When the training starts
    Then within 3m the global step is 200 or more
    When worker2 is killed
    Then within 5m worker1 has ended with exit code 0
    And for 29m chief is at work
    And within 3m chief has ended with exit code 0

  # TRN-2.4: tpu_runner.py in its mode eval is a program of its own, which knows the directory only.
  @TRN-S18
  Scenario: An evaluation follows the checkpoints and ends with the last one
    Given a training job with 0 workers and 1 PS
    And the job setting max_steps is "60"
    And the job setting save_steps is "20"
    And the job setting evaluator is "true"
    When the training starts
    Then within 5m chief has ended with exit code 0
    And within 1m evaluator has ended with exit code 0
    And checkpoint 20 was evaluated 1 time
    And checkpoint 40 was evaluated 1 time
    And checkpoint 60 was evaluated 1 time
    And 0 checkpoints were gone before an evaluation

  # What is gone when an evaluation reads it is passed over, and so is what came in the meantime.
  @TRN-S18
  Scenario: An evaluation that is slower than retention passes over what is gone
    Given a training job with 0 workers and 1 PS
    And the job setting max_steps is "120"
    And the job setting save_steps is "10"
    And the job setting max_to_keep is "1"
    And the job setting evaluator is "true"
    And the job setting eval_setup is "25s"
    When the training starts
    Then within 10m chief has ended with exit code 0
    And within 2m evaluator has ended with exit code 0
    And checkpoint 120 was evaluated 1 time
    And 1 evaluation was made
    And checkpoint 10 was evaluated 0 times
    And checkpoint 120 is stored

  # TRN-6.2: the evaluation gives up five hours after the last checkpoint.
  # not-real: five hours are too long for the clock of this machine
  @TRN-S18 @not-real
  Scenario: An evaluation without new checkpoints ends after five hours
    Given a training job with 0 workers and 1 PS
    And the job setting save_steps is "20"
    And the job setting evaluator is "true"
    When the training starts
    Then within 2m checkpoint 20 was evaluated 1 time
    When chief is killed
    And ps0 is killed
    Then for 4h59m evaluator is at work
    And within 2m evaluator has ended with exit code 0
