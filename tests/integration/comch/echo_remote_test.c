/* Conversations of programs of different versions, between two machines: the daemons relay. */
#define OVER_TLS
#include "tests/integration/comch/echo_test.c"
