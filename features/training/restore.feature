# not-python: the reference trains with a TensorFlow of its own, whose operations are not public
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
  @TRN-S4 @Q251 @not-real
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
