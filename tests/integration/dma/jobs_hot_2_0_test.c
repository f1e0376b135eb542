/* The cost of polled jobs in 2.0. */
#define DOCA_USE_VERSION 200
#include "tests/integration/dma/jobs_hot_test.c"
