/*
 * Loads the plug-ins that the command line names, written for different versions, into this one
 * process. Each works with its own objects; a memory map of another generation is refused. The
 * plain names of the library are those of the newest version. Prints every failure.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "tests/abi/form.h"

#define BAD_STATE 18 /* DOCA_ERROR_BAD_STATE, which no version changed */
#define MAX_FORMS 16

static int n_failed;

static void expect(int is_true, const char *what, int version, int other)
{
	if (is_true)
		return;
	printf("FAIL: %s (%d, %d)\n", what, version, other);
	n_failed++;
}

/* Returns the generation of memory maps: 1 has chunks (up to 1.5), 2 has one range (from 2.0). */
static int mmap_generation(int version)
{
	return version >= 200 ? 2 : 1;
}

/* Returns whether the last error sentence of this thread names the generation of an object. */
static int is_generation_refused(void)
{
	const char *(*last_error)(void);

	*(void **)&last_error = dlsym(RTLD_DEFAULT, "dococ_last_error");
	return last_error != NULL && strstr(last_error(), "generation") != NULL;
}

static void check_own_calls(const struct form *form)
{
	void *inventory = form->make(), *mmap = form->make_mmap();

	expect(inventory != NULL && form->release_inventory(inventory) == 0,
	       "an inventory of its own", form->version, 0);
	expect(mmap != NULL, "a memory map of its own", form->version, 0);
	form->start_mmap(mmap);
	expect(!is_generation_refused(), "its own way to start", form->version, 0);
	expect(form->destroy_mmap(mmap) == 0, "its own way to end", form->version, 0);
}

static void check_mixed_calls(const struct form *form, const struct form *other)
{
	void *mmap = other->make_mmap();

	expect(mmap != NULL, "a memory map", other->version, 0);
	expect(form->start_mmap(mmap) == BAD_STATE && is_generation_refused(),
	       "a memory map of another generation", form->version, other->version);
	expect(other->destroy_mmap(mmap) == 0, "its end", other->version, 0);
}

static void plain_names(void)
{
	static const char *const names[][2] = {
		{"doca_mmap_create", "doca_mmap_create__v2_5"},
		{"doca_buf_inventory_create", "doca_buf_inventory_create__v2_5"},
		{"doca_ctx_start", "doca_ctx_start__v2_5"},
		{"doca_dma_create", "doca_dma_create__v2_5"},
	};
	const char *(*runtime)(void);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *plain = dlsym(RTLD_DEFAULT, names[i][0]);

		if (plain == NULL || plain != dlsym(RTLD_DEFAULT, names[i][1])) {
			printf("FAIL: %s is not %s\n", names[i][0], names[i][1]);
			n_failed++;
		}
	}
	*(void **)&runtime = dlsym(RTLD_DEFAULT, "doca_version_runtime");
	expect(runtime != NULL && strncmp(runtime(), "3.", 2) == 0, "a call by its plain name", 0,
	       0);
}

int main(int argc, char **argv)
{
	const struct form *forms[MAX_FORMS];
	int n = 0;

	for (int i = 1; i < argc && n < MAX_FORMS; i++) {
		void *plugin = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
		const struct form *form = plugin ? dlsym(plugin, "form") : NULL;

		if (form == NULL) {
			printf("FAIL: %s\n", dlerror());
			return 1;
		}
		forms[n++] = form;
	}
	for (int i = 0; i < n; i++)
		check_own_calls(forms[i]);
	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++)
			if (mmap_generation(forms[i]->version) !=
			    mmap_generation(forms[k]->version))
				check_mixed_calls(forms[i], forms[k]);
	plain_names();
	printf("%d plug-ins, %d failures\n", n, n_failed);
	return n_failed == 0 && n >= 3 ? 0 : 1;
}
