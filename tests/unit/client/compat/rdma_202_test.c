/* RDMA of 2.2. */
#define DOCA_USE_VERSION 202
#include "tests/unit/client/compat/rdma_test.c"
