/* The cost of messages in 2.6. */
#define DOCA_USE_VERSION 206
#include "tests/integration/comch/cc_hot_test.c"
