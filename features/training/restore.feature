# not-python: the reference trains with operations of its own, which are in its tree as C++ for a patched TensorFlow and are not built here
@not-python
Feature: Beginning with the checkpoint of another training

  # TRN-2.13: the chief sets the directory up with two writes, and the others look every 30 s.
  @TRN-S4
  Scenario: All processes begin once the chief has set the directory up
    Given a training job with 2 workers and 1 PS
    And the job setting restore_dir is "/train/old"
    When the stored file /train/old/model.ckpt-61.index is written with "61"
    And the stored file /train/old/checkpoint is written with "model_checkpoint_path: 'model.ckpt-61' all_model_checkpoint_paths: 'model.ckpt-61'"
    And the training starts
    Then within 3s the stored file /train/model/checkpoint has "/train/old/model.ckpt-61"
    And the stored file /train/model/monolith_checkpoint has "/train/old/model.ckpt-61"
    And within 35s discovery has worker1 at its address
    And within 2m a checkpoint was restored 1 time
    And within 1s the global step is 61 or more
    And within 3m the global step is 100 or more

  # TRN-2.13: a chief that died between its two writes finds the first when it comes back.
  # not-real: what is written names directories as the simulation has them
  @TRN-S4 @Q200 @Q251 @not-real
  Scenario: A chief that died between its writes leaves all others waiting
    Given a training job with 1 worker and 1 PS
    And the job setting restore_dir is "/train/old"
    When the stored file /train/old/model.ckpt-61.index is written with "61"
    And the stored file /train/old/checkpoint is written with "model_checkpoint_path: 'model.ckpt-61' all_model_checkpoint_paths: 'model.ckpt-61'"
    And the stored file /train/model/checkpoint is written with "model_checkpoint_path: '/train/old/model.ckpt-61' all_model_checkpoint_paths: '/train/old/model.ckpt-61'"
    And the training starts
    Then within 5s discovery has chief at its address
    And for 2h discovery does not have ps0
    And the stored file /train/model/monolith_checkpoint does not exist
    And worker1 is at work

  @TRN-S4 @Q251 @long
  Scenario: With an empty restore directory only the chief begins
    Given a training job with 1 worker and 1 PS
    And the job setting restore_dir is "/train/old"
    When the training starts
    Then within 5s discovery has chief at its address
    And for 2h discovery does not have worker1
    And the stored file /train/model/checkpoint does not exist

  # TRN-2.13 with both faults repaired: the second file is written although there is nothing to restore.
  @TRN-S4 @Q251
  Scenario: With an empty restore directory all begin when the chief says so
    Given a training job with 1 worker and 1 PS
    And the agents keep all quirks but Q251
    And the job setting restore_dir is "/train/old"
    When the training starts
    Then within 5s discovery has chief at its address
    And within 35s discovery has worker1 at its address
    And within 3m the global step is 10 or more

  # not-real: what is written names directories as the simulation has them
  @TRN-S4 @Q251 @not-real
  Scenario: A chief that is started again makes the second of its writes
    Given a training job with 1 worker and 1 PS
    And the agents keep all quirks but Q251
    And the job setting restore_dir is "/train/old"
    When the stored file /train/old/model.ckpt-61.index is written with "61"
    And the stored file /train/old/checkpoint is written with "model_checkpoint_path: 'model.ckpt-61' all_model_checkpoint_paths: 'model.ckpt-61'"
    And the stored file /train/model/checkpoint is written with "model_checkpoint_path: '/train/old/model.ckpt-61' all_model_checkpoint_paths: '/train/old/model.ckpt-61'"
    And the training starts
    Then within 5s the stored file /train/model/monolith_checkpoint has "/train/old/model.ckpt-61"
    And within 2m a checkpoint was restored 1 time
    And within 3m the global step is 100 or more

  # TRN-2.13: nobody ends the wait.
  @TRN-S4 @Q200 @long
  Scenario: Who waits for a chief that has nothing to restore waits for hours
    Given a training job with 1 worker and 1 PS
    And the job setting restore_dir is "/train/old"
    When the training starts
    Then for 2h worker1 is at work
    And ps0 is at work

  @TRN-S4 @Q200 @long
  Scenario: Who waits for a chief that has nothing to restore gives up after an hour
    Given a training job with 1 worker and 1 PS
    And the agents keep all quirks but Q200
    And the job setting restore_dir is "/train/old"
    When the training starts
    Then for 59m worker1 is at work
    And within 90s worker1 has ended with exit code 1
    And within 5s ps0 has ended with exit code 1
    And chief is at work

  # TRN-2.13: the checkpoint of that name becomes the current one, once.
  Scenario: A job goes back to the checkpoint that restore_ckpt names
    Given a training job with 0 workers and 1 PS
    And the job setting save_steps is "10"
    And the job setting restart_after is "5s"
    And the job setting restore_ckpt is "model.ckpt-10"
    When the stored file /train/model/model.ckpt-10.index is written with "10"
    And the stored file /train/model/model.ckpt-90.index is written with "90"
    And the stored file /train/model/checkpoint is written with "model_checkpoint_path: 'model.ckpt-90' all_model_checkpoint_paths: 'model.ckpt-10' all_model_checkpoint_paths: 'model.ckpt-90'"
    And the training starts
    Then within 1m checkpoint 20 is listed
    And checkpoint 90 is listed
    And the stored file /train/model/restore_ckpt has "model.ckpt-10"
    When chief is killed
    Then within 2m a checkpoint was restored 2 times
    And within 5s the global step is 20 or more

  @Q202 @Q327
  Scenario: A checkpoint to restore that is not there keeps a job from ever beginning
    Given a training job with 0 workers and 1 PS
    And the job setting restart_after is "1m"
    And the job setting restore_ckpt is "model.ckpt-99"
    When the stored file /train/model/model.ckpt-10.index is written with "10"
    And the stored file /train/model/checkpoint is written with "model_checkpoint_path: 'model.ckpt-10' all_model_checkpoint_paths: 'model.ckpt-10'"
    And the training starts
    Then within 45s chief has ended with exit code 1
    And the stored file /train/model/checkpoint has "model.ckpt-99"
    And within 5s ps0 has ended with exit code 0
    When ps0 is started again
    Then within 65s chief was started 2 times
    And within 45s chief has ended with exit code 1

  @Q202
  Scenario: A checkpoint to restore that is not there is passed over
    Given a training job with 0 workers and 1 PS
    And the agents keep all quirks but Q202
    And the job setting restore_ckpt is "model.ckpt-99"
    When the stored file /train/model/model.ckpt-10.index is written with "10"
    And the stored file /train/model/checkpoint is written with "model_checkpoint_path: 'model.ckpt-10' all_model_checkpoint_paths: 'model.ckpt-10'"
    And the training starts
    Then within 20s a checkpoint was restored 1 time
    And the stored file /train/model/restore_ckpt does not exist
    And within 1m the global step is 20 or more

  # TRN-2.12: dense_reload_utils.py:221.
  Scenario: A model that is to be cleared begins anew, and only once
    Given a training job with 1 worker and 1 PS
    And the job setting save_steps is "40"
    And the job setting clear_nn is "true"
    And the job setting restart_after is "20s"
    When the stored file /train/model/model.ckpt-61.index is written with "61"
    And the stored file /train/model/checkpoint is written with "model_checkpoint_path: 'model.ckpt-61' all_model_checkpoint_paths: 'model.ckpt-61'"
    And the training starts
    Then within 1m the stored file /train/model/clear_nn has "clean nn done!"
    And within 3m 1 checkpoint was saved
    And the stored file /train/model/checkpoint has "model.ckpt-4"
    And a checkpoint was restored 0 times
    When ps0 is killed
    Then within 5m a checkpoint was restored 1 time
    And within 5m the global step is 40 or more

  Scenario: A model that is cleared may go on from the step that it had
    Given a training job with 1 worker and 1 PS
    And the job setting clear_nn is "true"
    And the job setting continue_training is "true"
    When the stored file /train/model/model.ckpt-61.index is written with "61"
    And the stored file /train/model/checkpoint is written with "model_checkpoint_path: 'model.ckpt-61' all_model_checkpoint_paths: 'model.ckpt-61'"
    And the training starts
    Then within 1m the global step is 62 or more
    And a checkpoint was restored 0 times

  # TRN-2.13: the others look every 30 s. A file system whose names come late has them look once more,
  # or more often; a checkpoint that is not there yet for whoever restores it is none.
  # not-real: the files of this machine are there at once
  @TRN-S4 @not-real
  Scenario: Who waits for the chief waits longer where files become visible late
    Given a training job with 2 workers and 1 PS
    And the job setting restore_dir is "/train/old"
    When the stored file /train/old/model.ckpt-61.index is written with "61"
    And the stored file /train/old/checkpoint is written with "model_checkpoint_path: 'model.ckpt-61' all_model_checkpoint_paths: 'model.ckpt-61'"
    And files under /train/model become visible 100s late
    And the training starts
    Then within 3s the stored file /train/model/monolith_checkpoint has "/train/old/model.ckpt-61"
    And for 95s discovery does not have worker1
    And within 30s discovery has worker1 at its address
    And within 2m a checkpoint was restored 1 time
    And within 3m the global step is 80 or more

  # not-real: the files of this machine are there at once
  @TRN-S4 @Q251 @not-real
  Scenario: A chief that cannot see yet what it is to restore leaves all others waiting
    Given a training job with 1 worker and 1 PS
    And the job setting restore_dir is "/train/old"
    When files under /train/old become visible 10m late
    And the stored file /train/old/model.ckpt-61.index is written with "61"
    And the stored file /train/old/checkpoint is written with "model_checkpoint_path: 'model.ckpt-61' all_model_checkpoint_paths: 'model.ckpt-61'"
    And the training starts
    Then within 5s discovery has chief at its address
    And for 15m discovery does not have worker1
    And the stored file /train/model/monolith_checkpoint does not exist

  # not-real: the files of this machine are there at once
  @TRN-S4 @not-real
  Scenario: All begin at once when files are visible at once again
    Given a training job with 1 worker and 1 PS
    And the job setting restore_dir is "/train/old"
    When the stored file /train/old/model.ckpt-61.index is written with "61"
    And the stored file /train/old/checkpoint is written with "model_checkpoint_path: 'model.ckpt-61' all_model_checkpoint_paths: 'model.ckpt-61'"
    And files under /train/model become visible 1h late
    And the training starts
    Then for 10m discovery does not have worker1
    When files under /train/model are visible at once
    Then within 35s discovery has worker1 at its address
    And within 2m a checkpoint was restored 1 time
