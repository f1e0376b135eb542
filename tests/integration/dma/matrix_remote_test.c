/* Every version with every version, between two machines: the daemons relay. */
#define OVER_TLS
#include "tests/integration/dma/matrix_test.c"
