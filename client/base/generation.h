/*
 * Generations of the public interface. An object remembers the version that made it, and calls of
 * another generation refuse it: rules differ between them, and a mixture would follow neither.
 */
#ifndef CLIENT_BASE_GENERATION_H
#define CLIENT_BASE_GENERATION_H

#include <stdbool.h>
#include <stdint.h>

#include <doca_error.h>

/*
 * Version in which a form of a call appeared, as DOCA_MAKE_VERSION numbers them. 0, which zeroed
 * objects have, stands for the generation of progress engines, 2.5 and later.
 */
enum {
	API_TASK = 0,
	API_1_3 = 103,
	API_1_5 = 105,
	API_2_0 = 200,
	API_2_2 = 202,
};

/* The plain name of a function that has several forms; dlsym and bindings find the newest. */
#define API_PLAIN(name, version)                            \
	extern __typeof__(name) plain_##name __asm__(#name) \
		__attribute__((alias(#name "__v" #version), visibility("default")))

/*
 * A public function for the library's own use, behind its definition: nobody can put another in its
 * place, and earlier generations are made of such functions only.
 */
#define API_INTERNAL(internal, name) \
	extern __typeof__(name) internal __attribute__((alias(#name), visibility("hidden")))

/*
 * BAD_STATE with a sentence: `call` was given an object (`what`: "mmap", "dma context") that a
 * program of version `made_for` made.
 */
doca_error_t api_refuse(const char *call, const char *what, uint16_t made_for);

#endif
