/* Copies by jobs, as programs of 2.2 write them. */
#define DOCA_USE_VERSION 202
#include "tests/integration/dma/jobs_test.c"
