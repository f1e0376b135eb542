/* The cost of RDMA jobs in 2.0. */
#define DOCA_USE_VERSION 200
#include "tests/integration/rdma/jobs_hot_test.c"
