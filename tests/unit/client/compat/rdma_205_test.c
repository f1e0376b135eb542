/* RDMA of 2.5. */
#define DOCA_USE_VERSION 205
#include "tests/unit/client/compat/rdma_task_test.c"
