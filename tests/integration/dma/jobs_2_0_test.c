/* Copies by jobs, as programs of 2.0 write them. */
#define DOCA_USE_VERSION 200
#include "tests/integration/dma/jobs_test.c"
