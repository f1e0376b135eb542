/* The cost of messages in 2.5. */
#define DOCA_USE_VERSION 205
#include "tests/integration/comch/cc_hot_test.c"
