/* Erasure coding of memory of another machine: the daemons relay. */
#define OVER_TLS
#include "tests/integration/dma/ec_import_test.c"
