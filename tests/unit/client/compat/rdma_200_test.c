/* RDMA of 2.0. */
#define DOCA_USE_VERSION 200
#include "tests/unit/client/compat/rdma_test.c"
