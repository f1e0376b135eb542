/* Copies by jobs, as programs of 1.5 write them. */
#define DOCA_USE_VERSION 105
#include "tests/integration/dma/jobs_test.c"
