/*
 * Runs a fuzz target without libFuzzer: first each seed of the target and each file or directory
 * that is named, then a number of mutations of them, always the same ones. The input that is being
 * run is written to FUZZ_CRASH_FILE, if that is set, before it is run.
 *
 *   NAME_fuzz [-n MUTATIONS] [FILE|DIRECTORY]...
 */
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "util/util.h"

#define INPUT_MAX     70000u
#define INPUTS_MAX    4096u
#define SECONDS_LIMIT 300u /* a longer run is a failure */
#ifdef __SANITIZE_THREAD__
#define N_MUTATIONS 1500ul
#elif defined(DOCO_SANITIZED)
#define N_MUTATIONS 10000ul
#else
#define N_MUTATIONS 30000ul
#endif
/* Targets with much slower inputs define it. */
#ifndef FUZZ_SLOWER
#define FUZZ_SLOWER 1
#endif

struct input {
	uint8_t *data;
	size_t len;
};

static struct input inputs[INPUTS_MAX];
static size_t n_inputs;
static uint64_t random_state = 88172645463325252ull;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static size_t random_below(size_t n)
{
	return n ? (size_t)(next_random() % n) : 0;
}

static void run_input(const uint8_t *data, size_t len)
{
	const char *path = getenv("FUZZ_CRASH_FILE");
	uint8_t *exact;

	if (path) {
		FILE *file = fopen(path, "wb");

		if (file) {
			fwrite(data, 1, len, file);
			fclose(file);
		}
	}
	/* Exactly this size, so that a sanitizer detects a read after its end. */
	exact = malloc(len ? len : 1);
	if (!exact)
		exit(99);
	memcpy(exact, data, len);
	LLVMFuzzerTestOneInput(exact, len);
	free(exact);
}

static void add_input(const uint8_t *data, size_t len)
{
	struct input *input = &inputs[n_inputs];

	if (n_inputs == INPUTS_MAX)
		return;
	input->data = malloc(len ? len : 1);
	if (!input->data)
		exit(99);
	memcpy(input->data, data, len);
	input->len = len;
	n_inputs++;
}

static int add_path(const char *path)
{
	static uint8_t buf[INPUT_MAX];
	struct stat st;
	char child[4096];
	FILE *file;
	DIR *dir;
	int r = 0;

	if (stat(path, &st) < 0)
		return -errno;
	if (!S_ISDIR(st.st_mode)) {
		file = fopen(path, "rb");
		if (!file)
			return -errno;
		add_input(buf, fread(buf, 1, sizeof(buf), file));
		fclose(file);
		return 0;
	}
	dir = opendir(path);
	if (!dir)
		return -errno;
	for (struct dirent *entry; r == 0 && (entry = readdir(dir));) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(child, sizeof(child), "%s/%s", path, entry->d_name);
		r = add_path(child);
	}
	closedir(dir);
	return r;
}

static const uint64_t interesting[] = {
	0,
	1,
	0x7f,
	0x80,
	0xff,
	0xffff,
	0x10000,
	0x7fffffff,
	0x80000000,
	0xffffffff,
	0x100000000,
	INT64_MAX,
	UINT64_MAX,
	65535,
	65520,
	8,
	UINT64_MAX - 7ull,
	1ull << 63,
};

static size_t mutate_once(uint8_t *data, size_t len)
{
	const struct input *other = &inputs[random_below(n_inputs)];
	static const size_t widths[] = {1, 2, 4, 8};
	size_t at = random_below(len), n, width = widths[random_below(ARRAY_LEN(widths))];
	uint64_t value = interesting[random_below(ARRAY_LEN(interesting))];

	switch (random_below(7)) {
	case 0:
		if (len)
			data[at] ^= (uint8_t)(1u << random_below(8));
		return len;
	case 1:
		if (len)
			data[at] = (uint8_t)next_random();
		return len;
	case 2:
		if (at + width <= len)
			memcpy(data + at, &value, width);
		return len;
	case 3: /* remove a piece */
		n = random_below(MIN(len - at, (size_t)32) + 1);
		memmove(data + at, data + at + n, len - at - n);
		return len - n;
	case 4: /* repeat a piece */
		n = random_below(MIN(len - at, INPUT_MAX - len) + 1);
		n = MIN(n, (size_t)64);
		memmove(data + at + n, data + at, len - at);
		return len + n;
	case 5: /* insert a piece of another input */
		n = random_below(MIN(other->len, INPUT_MAX - len) + 1);
		n = MIN(n, (size_t)64);
		memmove(data + at + n, data + at, len - at);
		memcpy(data + at, other->data + random_below(other->len - n + 1), n);
		return len + n;
	default: /* truncate */
		return random_below(8) ? len : at;
	}
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t len, size_t max)
{
	static uint8_t room[INPUT_MAX];

	memcpy(room, data, MIN(len, INPUT_MAX));
	len = MIN(mutate_once(room, MIN(len, INPUT_MAX)), max);
	memcpy(data, room, len);
	return len;
}

static void run_mutation(void)
{
	static uint8_t data[INPUT_MAX];
	const struct input *input = &inputs[random_below(n_inputs)];
	size_t len = input->len;

	memcpy(data, input->data, len);
	for (size_t n = random_below(4) + 1; n; n--)
		len = LLVMFuzzerCustomMutator ? LLVMFuzzerCustomMutator(data, len, INPUT_MAX,
									(unsigned)next_random())
					      : mutate_once(data, len);
	run_input(data, len);
}

int main(int argc, char **argv)
{
	static uint8_t buf[INPUT_MAX];
	unsigned long n_mutations = N_MUTATIONS / FUZZ_SLOWER;
	size_t len;
	int option, r;

	while ((option = getopt(argc, argv, "n:")) != -1) {
		if (option != 'n')
			return 2;
		n_mutations = strtoul(optarg, NULL, 10);
	}
	alarm(SECONDS_LIMIT);
	for (unsigned i = 0; (len = fuzz_seed(i, buf, sizeof(buf))) > 0; i++)
		add_input(buf, len);
	for (int i = optind; i < argc; i++) {
		r = add_path(argv[i]);
		if (r < 0) {
			fprintf(stderr, "%s: %s\n", argv[i], strerror(-r));
			return 2;
		}
	}
	if (n_inputs == 0)
		return 2;
	for (size_t i = 0; i < n_inputs; i++)
		run_input(inputs[i].data, inputs[i].len);
	for (unsigned long i = 0; i < n_mutations; i++)
		run_mutation();
	printf("%zu inputs, %lu mutations\n", n_inputs, n_mutations);
	for (size_t i = 0; i < n_inputs; i++)
		free(inputs[i].data);
	return 0;
}
