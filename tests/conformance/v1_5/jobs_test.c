/* Work queues and DMA jobs of 1.5: the test of 1.3 knows the differences. */
#include "tests/conformance/v1_3/jobs_test.c"
