/* RDMA of 2.6. */
#define DOCA_USE_VERSION 206
#include "tests/unit/client/compat/rdma_task_test.c"
