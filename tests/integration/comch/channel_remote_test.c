/* The comm channel, between two machines: the daemons relay. */
#define OVER_TLS
#include "tests/integration/comch/channel_test.c"
