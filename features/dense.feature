Feature: Dense services that share a GPU

  Background:
    Given a v1 cluster of 1 shard with 1 replica
    And the agents have no setting "stand_alone_serving"
    And the agent setting "deploy_type" is "dense"
    And the agent setting "dense_alone" is "true"
    And the agent setting "dense_service_num" is "3"
    And model predict_ctr with sub-graphs dense_0 of 30 MB in version 1

  @v1 @Q2
  Scenario: The agents of a v1 dense pod have one registration together
    When the cluster starts
    Then within 30s shard0-replica0 runs 3 model servers
    And within 30s shard0-replica0 is registered for dense:0 as AVAILABLE
    And for 5m znode /predict_ctr/service/predict_ctr/dense:0 has 1 child
    And every agent answers GetReplicas of dense 0 with shard0-replica0

  @v1
  Scenario: A v1 dense pod goes on with the dense services that are left
    When the cluster starts
    And 1m passes
    And the dense server of shard0-replica0 is killed
    Then within 2s shard0-replica0 runs 2 model servers
    And for 10m shard0-replica0 runs 2 model servers
    And shard0-replica0 runs

  @v1 @Q2 @Q5
  Scenario: The agents of a dense pod share the one port that the container gives them
    Given the environment variable "PORT2" is "1002"
    When the cluster starts
    Then within 30s shard0-replica0 runs 3 model servers
    And within 30s every agent answers GetReplicas of dense 0 with shard0-replica0
    When the dense server of shard0-replica0 is killed
    Then within 2s shard0-replica0 runs 2 model servers
    And for 5m shard0-replica0 runs 2 model servers
