/* The main() of the daemon under another name, for tests that call it; see fault_main.h. */
#include "tests/unit/daemon/session/fault_main.h"

#define main dococored_main
#include "daemon/main.c"
