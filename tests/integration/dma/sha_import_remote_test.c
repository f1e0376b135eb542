/* Digests of memory of another machine: the daemons relay. */
#define OVER_TLS
#include "tests/integration/dma/sha_import_test.c"
