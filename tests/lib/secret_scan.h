/*
 * Searches the memory of a process for a secret, as far as a core dump would show it, or all that
 * can be written. The search keeps the secret masked, so that it does not find its own copy. Test
 * programs only.
 */
#ifndef TESTS_LIB_SECRET_SCAN_H
#define TESTS_LIB_SECRET_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define SECRET_SCAN_LEN 16u

void secret_scan_set(const uint8_t secret[SECRET_SCAN_LEN]);
void secret_scan_get(uint8_t *out);
/*
 * Returns how often the secret is in the process's memory. Prints the dumped mappings that contain
 * it.
 */
unsigned secret_scan_count(pid_t pid, bool as_dumped);

#endif
