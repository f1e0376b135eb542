/*
 * Generations of the public interface. An object records the version that created it, and calls of
 * another generation refuse it: the rules differ between generations, and a mixture would follow
 * neither.
 */
#ifndef CLIENT_BASE_GENERATION_H
#define CLIENT_BASE_GENERATION_H

#include <stdbool.h>
#include <stdint.h>

#include <doca_error.h>

/* The version in which a form of a call appeared, in the numbering of DOCA_MAKE_VERSION. 0, the
 * value in zeroed objects, stands for the generation of progress engines, 2.5 and later. */
enum {
	API_TASK = 0,
	API_1_3 = 103,
	API_1_5 = 105,
	API_2_0 = 200,
	API_2_2 = 202,
};

/* Defines the plain name of a function that has several forms; dlsym() and bindings find the
 * newest. */
#define API_PLAIN(name, version)                            \
	extern __typeof__(name) plain_##name __asm__(#name) \
		__attribute__((alias(#name "__v" #version), visibility("default")))

/*
 * Defines a hidden alias of a public function, after its definition. The library calls the alias,
 * so that a program's symbol of the same name cannot replace it. Earlier generations use such
 * aliases only.
 */
#define API_INTERNAL(internal, name) \
	extern __typeof__(name) internal __attribute__((alias(#name), visibility("hidden")))

/* Returns BAD_STATE with an error sentence: `call` received an object (`what`: "mmap", "dma
 * context") that a program of version `made_for` created. */
doca_error_t api_refuse(const char *call, const char *what, uint16_t made_for);

#endif
