/* doca_cc.h of 2.6: the test of 2.5 knows the differences. */
#include "tests/conformance/v2_5/cc_test.c"
