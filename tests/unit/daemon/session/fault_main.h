/* The daemon's main(), which daemon/main.c defines. Call it in a process of its own. */
#ifndef TESTS_UNIT_FAULT_MAIN_H
#define TESTS_UNIT_FAULT_MAIN_H

int dococored_main(int argc, char **argv);

#endif
