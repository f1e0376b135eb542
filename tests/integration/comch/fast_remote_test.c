/* Producers and consumers, between two machines: the daemons relay. */
#define OVER_TLS
#include "tests/integration/comch/fast_test.c"
