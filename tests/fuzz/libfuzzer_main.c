/*
 * Lets libFuzzer start with the seeds of a target: writes them to the directory FUZZ_SEED_DIR,
 * which is also passed to libFuzzer as a corpus. libFuzzer provides main().
 */
#include "tests/fuzz/fuzz.h"

#define SEED_MAX 70000u

int LLVMFuzzerInitialize(int *argc, char ***argv);

static void write_seed(const char *dir, unsigned i, const uint8_t *data, size_t len)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/seed-%u", dir, i);
	file = fopen(path, "wb");
	FUZZ_CHECK(file != NULL);
	FUZZ_CHECK(fwrite(data, 1, len, file) == len);
	FUZZ_CHECK(fclose(file) == 0);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static uint8_t data[SEED_MAX];
	const char *dir = getenv("FUZZ_SEED_DIR");
	size_t len;

	(void)argc;
	(void)argv;
	for (unsigned i = 0; dir != NULL && (len = fuzz_seed(i, data, sizeof(data))) > 0; i++)
		write_seed(dir, i, data, len);
	return 0;
}
