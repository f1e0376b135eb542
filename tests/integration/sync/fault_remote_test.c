/* Sync events and faults, between two machines: the daemons relay. */
#define OVER_TLS
#include "tests/integration/sync/fault_test.c"
