/* Sync events between programs of different versions, between two machines: the daemons relay. */
#define OVER_TLS
#include "tests/integration/sync/handover_test.c"
