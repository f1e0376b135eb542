/* Compression of memory of another machine: the daemons relay. */
#define OVER_TLS
#include "tests/integration/dma/compress_import_test.c"
