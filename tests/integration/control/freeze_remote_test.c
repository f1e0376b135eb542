/* Stopped daemons of two machines: freeze_test over TLS. */
#define OVER_TLS
#include "tests/integration/control/freeze_test.c"
