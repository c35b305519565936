package full_test
