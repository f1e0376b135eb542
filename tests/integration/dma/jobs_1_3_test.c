/* Copies by jobs, as programs of 1.3 write them. */
#define DOCA_USE_VERSION 103
#include "tests/integration/dma/jobs_test.c"
