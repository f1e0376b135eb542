/* The comm channel of 2.6: the test of 2.2 knows the differences. */
#include "tests/conformance/v2_2/comm_channel_test.c"
