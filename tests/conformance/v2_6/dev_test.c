/* doca_dev.h, doca_log.h and doca_argp.h of 2.6: the test of 2.5 knows the differences. */
#include "tests/conformance/v2_5/dev_test.c"
