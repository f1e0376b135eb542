/* doca_log.h of 1.5: the same as that of 1.3. */
#include "tests/conformance/v1_3/log_test.c"
