# not-real: a recorded case is asked of the code, without a cluster
# not-python: the reference has its faults; what it answers is recorded
@not-real @not-python
Feature: Calls of the training side answer as recorded, and better with a fault repaired

  # TRN-2.2.
  @Q195
  Scenario: A file that a copying thread may not read
    Given the recorded case utils.CopyRecursively/a-file-is-denied-workers
    When it is answered as the reference does
    Then the answer at "result" is null
    When it is answered with Q195 repaired
    Then the answer at "result" raises PermissionDeniedError
    And the answer at "tree > b/x" is "1"

  @Q196
  Scenario: A file that is to be tried twice
    Given the recorded case utils.CopyRecursively/two-tries-are-five
    When it is answered as the reference does
    Then the answer at "copied > a/d/y" is 5
    When it is answered with Q196 repaired
    Then the answer at "copied > a/d/y" is 2

  # TRN-2.5.
  @Q197
  Scenario: Preloading where nothing was loaded before
    Given the recorded case mem_profiling.enable_tcmalloc/nothing-loaded-before
    When it is answered as the reference does
    Then the answer at "LD_PRELOAD" is ":<SRC>/../gperftools/libtcmalloc/lib/libtcmalloc.so"
    When it is answered with Q197 repaired
    Then the answer at "LD_PRELOAD" is "<SRC>/../gperftools/libtcmalloc/lib/libtcmalloc.so"

  # TRN-2.4.
  @Q198
  Scenario: An evaluation finds a checkpoint without a step
    Given the recorded case tpu_runner.TPURunner.run/eval-step-is-text
    When it is answered as the reference does
    Then the answer at "result" raises ValueError
    When it is answered with Q198 repaired
    Then the answer at "result" is null

  @Q198
  Scenario: An evaluation without a batch size
    Given the recorded case tpu_runner.TPURunner.run/eval-without-a-batch-size
    When it is answered as the reference does
    Then the answer at "result" raises TypeError
    And the answer at "log" has no "evaluate"
    When it is answered with Q198 repaired
    Then the answer at "result" is null
    And the answer at "log" has "evaluate" 1 time

  # runner_utils.py:72.
  @Q201
  Scenario: A list of checkpoints that the last read reads well
    Given the recorded case runner_utils.get_checkpoint_state/valid-on-read-6
    When it is answered as the reference does
    Then the answer at "calls > 1" raises Exception
    When it is answered with Q201 repaired
    Then the answer at "calls > 1 > model_checkpoint_path" is "<TMP>/m/model.ckpt-61"
    And the answer at "calls > 1 > reads" is 6

  # estimator.py:204: retries that a configuration promises.
  @Q253
  Scenario: What RunConfig has by itself
    Given the recorded case estimator.RunConfig.to_runner_config/defaults-are-not-passed-on
    When it is answered as the reference does
    Then the answer at "changed" has no "max_retry_times"
    When it is answered with Q253 repaired
    Then the answer at "changed > max_retry_times" is 6
    And the answer at "changed > retry_wait_in_secs" is 5

  # estimator.py:190: there is no chief to wait for in a training of one process.
  @Q254
  Scenario: A training of one process whose command line has an index
    Given the recorded case estimator.RunConfig.to_runner_config/waits-for-ever-before-it-is-local
    When it is answered as the reference does
    Then the answer at "changed > endless" is true
    When it is answered with Q254 repaired
    Then the answer at "changed > is_local" is true
    And the answer at "changed > index" is 1

  # TRN-8.6.
  @Q255
  Scenario: BytePS without UCX_NET_DEVICES
    Given the recorded case distribution_utils.bps_init/no-devices
    When it is answered as the reference does
    Then the answer at "result" raises KeyError
    And the answer at "init_lazy" is []
    When it is answered with Q255 repaired
    Then the answer at "result" is null
    And the answer at "init_lazy" is [false]

  # TRN-8.6.
  @Q256
  Scenario: Training in step with BytePS begins twice
    Given the recorded case distribution_utils.init_sync_train_and_update_conf/byteps-twice
    When it is answered as the reference does
    Then the answer at "confs > 2 > log" is ["bps_init u"]
    And the answer at "confs > 2 > model_dir" is "/m"
    When it is answered with Q256 repaired
    Then the answer at "confs > 1 > log" is ["bps_init u"]
    And the answer at "confs > 2 > log" is []
    And the answer at "confs > 2 > model_dir" is "/m/u/index-0002"

  # estimator.py:86.
  @Q259
  Scenario: The mode of a spec cannot be changed
    Given the recorded case estimator.EstimatorSpec/mode
    When it is answered as the reference does
    Then the answer at "replaced > 2" raises AttributeError
    When it is answered with Q259 repaired
    Then the answer at "replaced > 2" raises ValueError
    And the answer at "replaced > 3 > label" is null

  # TRN-8.1.
  @Q260
  Scenario: A training after an evaluation
    Given the recorded case estimator.Estimator.sequence/mode-stays
    When it is answered as the reference does
    Then the answer at "calls > 2 > log > 2 > conf_mode" is "eval"
    When it is answered with Q260 repaired
    Then the answer at "calls > 1 > log > 2 > conf_mode" is "eval"
    And the answer at "calls > 2 > log > 2 > conf_mode" is "train"

  # cpu_training.py:1776.
  @Q261
  Scenario: A training without PS looks whom it needs
    Given the recorded case cpu_training.get_blocked_addrs/no-ps
    When it is answered as the reference does
    Then the answer raises ValueError
    When it is answered with Q261 repaired
    Then the answer is ["c:1"]

  @Q261
  Scenario: A training without PS begins
    Given the recorded case cpu_training.do_worker_train/no-ps
    When it is answered as the reference does
    Then the answer at "result" raises ValueError
    And the answer at "log" has no "train"
    When it is answered with Q261 repaired
    Then the answer at "result" is true
    And the answer at "log" has "train" 1 time

  # TRN-8.5.
  @Q271
  Scenario: A leaf that is no tensor
    Given the recorded case nested_tensors.NestedTensors/float
    When it is answered as the reference does
    Then the answer raises TypeError
    When it is answered with Q271 repaired
    Then the answer raises ValueError

  # TRN-2.16: the address of a process that registered twice, and then not at all.
  @Q290
  Scenario: A process that registers at a second address
    Given the recorded case service_discovery.ZKServiceDiscovery/register-again-and-half-an-hour
    When it is answered as the reference does
    Then the answer at "tree" has "/monolith/job/ps.0" 1 time
    And the answer at "calls > 9 > 3" is {"$dict": [[0, "a:1"]]}
    When it is answered with Q290 repaired
    Then the answer at "tree" has no "/monolith/job/ps.0"

  # TRN-2.17.
  @Q301
  Scenario: A look-up of Consul with a cache
    Given the recorded case consul.Client.sequence/lookup-cache-deadlock
    When it is answered as the reference does
    Then the answer at "steps > 1 > endless" is true
    When it is answered with Q301 repaired
    Then step 1 returns [1]

  @Q302
  Scenario: A look-up that Consul answers with an error
    Given the recorded case consul.Client.sequence/lookup-statuses
    When it is answered as the reference does
    Then step 1 returns []
    When it is answered with Q302 repaired
    Then step 1 raises ConsulException

  @Q304
  Scenario: A registration with the agent at a Unix socket
    Given the recorded case consul.Client.sequence/socket
    When it is answered as the reference does
    Then the answer at "steps > 3 > log" is [["connect", "/opt/tmp/sock/consul.sock", 2280, 15]]
    When it is answered with Q304 repaired
    Then the answer at "steps > 3 > log" is [["connect", "/opt/tmp/sock/consul.sock", null, null]]
    And the answer at "steps > 4 > log" is [["connect", "/opt/tmp/sock/consul.sock", null, null]]

  # TRN-2.22: what an estimator would take for its cluster.
  @Q310
  Scenario: A worker that prepares features and fails
    Given the recorded case cpu_training.do_worker_feature_engineering/fails
    When it is answered as the reference does
    Then the answer at "tf_config" has "p:1" 1 time
    When it is answered with Q310 repaired
    Then the answer at "tf_config" is null
    And the answer at "result" raises ValueError

  @Q310
  Scenario: A training of one process with PS that fails
    Given the recorded case cpu_training.local_train_internal/ps-fails
    When it is answered as the reference does
    Then the answer at "tf_config" has "localhost:1001" 1 time
    When it is answered with Q310 repaired
    Then the answer at "tf_config" is null
    And the answer at "result" raises ValueError

  @Q311
  Scenario: An export where TF_CONFIG is empty
    Given the recorded case saved_model_exporters.export_saved_model/standalone-empty
    When it is answered as the reference does
    Then the answer at "tf_config" is null
    When it is answered with Q311 repaired
    Then the answer at "tf_config" is ""

  # datasets.py:358.
  @Q312
  Scenario: The flag is_hourly
    Given the recorded case datasets.PBDataset.gen_patterns/flags-do-not-make-hours
    When it is answered as the reference does
    Then the answer is ["/f/20231101/*"]
    When it is answered with Q312 repaired
    Then the answer at "" has "/f/20231101/00*" 1 time
    And the answer at "" has "/f/20231101/23*" 1 time

  # TRN-2.12: a checkpoint that is not there.
  @Q313
  Scenario: A restore of no checkpoint that clears variables
    Given the recorded case save_utils.PartialRecoverySaver.restore/clear-nn-no-checkpoint
    When it is answered as the reference does
    Then the answer at "steps > 6 > cleared" is ["m"]
    And the answer at "steps > 6 > values > v0" is 1
    When it is answered with Q313 repaired
    Then step 6 raises ValueError
    And the answer at "steps > 6 > cleared" is []
    And the answer at "steps > 6 > values > v0" is 50

  # TRN-2.12: the mark of the directory is missing.
  @Q314
  Scenario: A restore that clears variables and cannot note it
    Given the recorded case save_utils.PartialRecoverySaver.restore/clear-nn-directory-missing
    When it is answered as the reference does
    Then step 6 raises NotFoundError
    And step 7 raises NotFoundError
    When it is answered with Q314 repaired
    Then the answer at "steps > 6 > values > v0" is 1
    And the answer at "steps > 7 > values > v0" is 5

  # TRN-2.21: the file of a chief that was started again. Nobody can be connected to in a recorded case, so that
  # a chief without the fault takes itself to be cut off; discovery.feature has those that it reaches.
  @Q315
  Scenario: A chief whose file has PS that are gone
    Given the recorded case cluster_manager.get_training_cluster/chief-restarted
    When it is answered as the reference does
    Then the answer at "result > 1 > ps" is ["a", "b"]
    When it is answered with Q315 repaired
    Then the answer at "result > 1 > ps" is ["a", "b"]

  # TRN-8.10.
  @Q316
  Scenario: A chief without a file under a clock that stands still
    Given the recorded case cluster_manager.get_training_cluster/sample-redundant
    When it is answered as the reference does
    Then the answer at "slept" is [[5, 1]]
    When it is answered with Q316 repaired
    Then the answer at "slept" is []

  # TRN-2.22: what the application's master is told of a chief that lost its cluster.
  @Q257
  Scenario: A chief that looks for its cluster again when discovery fails
    Given the recorded case cpu_training.distributed_train/discovery-lost-while-failing
    When it is answered as the reference does
    Then the answer at "log" has [["finish"], 1] 1 time
    When it is answered with Q257 repaired
    Then the answer at "log" has [["kill", "discovery is away"], 1] 1 time
