/* AES-GCM on memory of another machine: the daemons relay. */
#define OVER_TLS
#include "tests/integration/dma/aes_gcm_import_test.c"
