/* The cost of RDMA jobs in 2.2. */
#define DOCA_USE_VERSION 202
#include "tests/integration/rdma/jobs_hot_test.c"
