/* The cost of polled jobs in 2.2. */
#define DOCA_USE_VERSION 202
#include "tests/integration/dma/jobs_hot_test.c"
