/* Rights of sync events, between two machines: the daemons relay. */
#define OVER_TLS
#include "tests/integration/sync/right_test.c"
