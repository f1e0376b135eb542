/* Names that 'doca-admin which-api' finds in sources, and the versions that it infers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "tools/doca-admin/which_api/api_use.h"
#include "tools/doca-admin/which_api/source_scan.h"

/* --- names --- */

struct names {
	char text[512]; /* "name:line " for each; "?" follows a name inside a condition */
	int n_arguments;
};

static void name_note(void *userdata, const struct source_name *found)
{
	struct names *names = userdata;
	size_t used = strlen(names->text);

	snprintf(names->text + used, sizeof(names->text) - used, "%.*s:%u%s ", (int)found->len,
		 found->name, found->line, found->is_optional ? "?" : "");
	names->n_arguments = source_count_arguments(found);
}

/* The text is in memory of exactly its size, so that reads beyond it are detected. */
static struct names names_of(const char *text, size_t len)
{
	struct names names = {.n_arguments = -2};
	char *copy = malloc(len ? len : 1);

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, text, len);
	source_scan(copy, len, name_note, &names);
	free(copy);
	return names;
}

static void ck_names(const char *text, const char *wanted)
{
	struct names names = names_of(text, strlen(text));

	ck_assert_str_eq(names.text, wanted);
}

START_TEST(names_in_code)
{
	ck_names("doca_pe_create(&pe);\nx = DOCA_SUCCESS;", "doca_pe_create:1 DOCA_SUCCESS:2 ");
	ck_names("my_doca_pe doca_ xdoca_a", "doca_:1 ");
	ck_names("#include <doca_pe.h>\n# include \"sub/doca_own.h\"\n#include <doca.h>\n",
		 "doca_pe.h:1 doca_own.h:2 ");
	ck_names("#define MAKE(x) doca_pe_create(x)\n#define DOCA_OWN 1\n", "doca_pe_create:1 ");
	ck_names("a.doca_x b->doca_x c . doca_x ns::doca_y f(...); doca_z", "doca_y:1 doca_z:1 ");
	ck_names("C.doca_a(x) lib.doca_b (y) s->doca_c = z", "doca_a:1 doca_b:1 ");
	ck_names("x = 1'000; doca_a; y = 'a'; doca_b; f::<'a>(doca_c); z = '\\'', doca_d;",
		 "doca_a:1 doca_b:1 doca_c:1 doca_d:1 ");
}
END_TEST

START_TEST(names_elsewhere)
{
	ck_names("// doca_a\n/* doca_b\n doca_c */ doca_d", "doca_d:3 ");
	ck_names("// doca_a \\\n doca_b\ndoca_c", "doca_c:3 ");
	ck_names("\"doca_a \\\" doca_b\" doca_c \"// doca_d\" doca_e", "doca_c:1 doca_e:1 ");
	ck_names("R\"x(doca_a )\" \ndoca_b)x\" doca_c", "doca_c:2 ");
	ck_names("\"unclosed doca_a\ndoca_b", "doca_b:2 ");
	ck_names("'\"' doca_a '/*' doca_b '\\\\' doca_c", "doca_a:1 doca_b:1 doca_c:1 ");
	ck_names("/* doca_a", "");
}
END_TEST

START_TEST(names_below_conditions)
{
	ck_names("#if 0\ndon't doca_a\n#if 1\ndoca_b\n#endif\n#else\ndoca_c\n#endif\ndoca_d",
		 "doca_c:7 doca_d:9 ");
	ck_names("#if 0 /* why */\ndoca_a\n#endif\n#if 1\ndoca_b\n#else\ndoca_c\n#endif\n",
		 "doca_b:5 ");
	ck_names("#if DOCA_VERSION_MAJOR >= 2\ndoca_a\n#else\ndoca_b\n#endif\ndoca_c",
		 "doca_a:2? doca_b:4? doca_c:6 ");
	ck_names("#if defined(USE_OLD_DOCA) && \\\n  1\ndoca_a\n#endif", "doca_a:3? ");
	ck_names("#if __has_include(<doca_pe.h>)\n#include <doca_pe.h>\n#endif", "doca_pe.h:2? ");
	ck_names("#ifndef DOCA_COPY_H_\n#define DOCA_COPY_H_\ndoca_a\n#endif", "doca_a:3 ");
	ck_names("#ifdef DOCA_ARCH_DPU\ndoca_a\n#endif\n#ifdef __cplusplus\ndoca_b\n#endif",
		 "doca_a:2 doca_b:5 ");
	ck_names("#pragma doca_a\n#error doca_b\n#undef doca_c\n#elif\n#else\n#endif\ndoca_d",
		 "doca_d:7 ");
}
END_TEST

static int arguments_of(const char *text)
{
	return names_of(text, strlen(text)).n_arguments;
}

START_TEST(arguments)
{
	ck_assert_int_eq(arguments_of("doca_a(&x)"), 1);
	ck_assert_int_eq(arguments_of("doca_a()"), 0);
	ck_assert_int_eq(arguments_of("doca_a /* (a, b) */\n (f(1, 2), {3, 4}, v[5, 6])"), 3);
	ck_assert_int_eq(arguments_of("doca_a(\"a,b)\", ',', x->y, // ,\n z)"), 4);
	ck_assert_int_eq(arguments_of("doca_a"), -1);
	ck_assert_int_eq(arguments_of("doca_a;"), -1);
	ck_assert_int_eq(arguments_of("doca_a(x"), -1);
	ck_assert_int_eq(arguments_of("doca_a(pair<int, int>(x, y), z)"), -1);
	ck_assert_int_eq(arguments_of("doca_a(x,\n#ifdef Y\ny,\n#endif\nz)"), -1);
}
END_TEST

/* Nothing is read beyond the text, wherever it is truncated, and whatever it is. */
START_TEST(truncated_anywhere)
{
	static const char text[] =
		"#if 0\n#else\n#include <doca_a.h>\n#endif /* x */\nR\"y(doca_b)y\" 'c' 1'0 "
		"\"\\\"\" "
		"a->b..c doca_d(\"x\\\\\", 'y', \\\n /* z */ w) // end\\\r\n doca_e\n#define X\\\n";

	for (size_t n = 0; n < sizeof(text); n++)
		names_of(text, n);
	for (unsigned seed = 0; seed < 500; seed++) {
		static const char letters[] = "#if01\n\"'\\/*R(){},<>. doca_elsn";
		char random[80];

		srand(seed);
		for (size_t i = 0; i < sizeof(random); i++)
			random[i] = letters[(size_t)rand() % (sizeof(letters) - 1)];
		names_of(random, sizeof(random));
	}
}
END_TEST

/* --- versions --- */

struct source {
	const char *text;
	const char *fits;
	unsigned likeliest;
};

static const struct source sources[] = {
	{"doca_dev_open(a, b);", "1.3 on", 303},
	{"#include <doca_pe.h>\n", "2.5 on", 303},
	{"doca_pe_progress(pe);", "2.5 on", 303},
	{"struct doca_event e;", "1.3 to 2.2", 202},
	{"doca_workq_create(8, &q);", "1.3 to 2.2", 202},
	{"doca_workq_create(8, &q); doca_mmap_set_memrange(m, a, n);", "2.0 to 2.2", 202},
	{"doca_workq_create(8, &q); doca_mmap_populate(m, a, n, p, f, o);", "1.3 to 1.5", 105},
	{"doca_dma_create(&dma);", "1.3 to 2.2", 202},
	{"doca_dma_create(dev, &dma);", "2.5 on", 303},
	{"f = doca_dma_create;", "1.3 on", 303},
	{"doca_dma_create(MACRO_OF_MANY, ARGUMENTS, 3, 4);", "1.3 on", 303},
	{"doca_buf_inventory_create(n, &i);", "2.5 on", 303},
	{"doca_buf_inventory_create(u, n, e, &i);", "1.3 to 2.2", 202},
	{"doca_cc_client_create(a, b);", "2.5 to 2.6", 206},
	{"doca_rdma_export(r, &d, &n);", "2.0 to 2.8", 208},
	{"doca_rdma_export(r, &d, &n, &c);", "2.9 on", 303},
	{"doca_rdma_export(r, &d, &n); doca_rdma_connection_accept(c);", "2.7 to 2.8", 208},
	{"doca_rdma_connection_accept(c, d, n);", "2.9 on", 303},
	{"doca_rdma_bridge_accept(r, id, d, n, &c);", "2.7 to 2.10", 210},
	{"doca_clock_create(a);", "3.2 on", 303},
	{"doca_workq_create(8, &q); doca_pe_progress(pe);", "no version", 0},
	{"#if DOCA_VER_MAJOR\ndoca_workq_create();\n#else\ndoca_pe_create();\n#endif\n"
	 "doca_mmap_destroy(m);",
	 "1.3 on", 303},
	/*
	 * This runtime's headers have the first function in all versions; the 1.5 documentation
	 * does not.
	 */
	{"doca_buf_inventory_buf_dup(i, b, &c); doca_mmap_populate(m, a, n, p, f, o);",
	 "1.3 to 1.5", 103},
};

START_TEST(versions_of_sources)
{
	const struct source *source = &sources[_i];
	struct api_rank ranks[32];
	struct api_use use;
	char fits[96];

	ck_assert_uint_le(which_n_versions, ARRAY_LEN(ranks));
	ck_assert_int_eq(api_use_init(&use), 0);
	api_use_add(&use, "a.c", source->text, strlen(source->text));
	api_versions_text(api_use_fits(&use), fits, sizeof(fits));
	ck_assert_msg(strcmp(fits, source->fits) == 0, "%s: %s", source->text, fits);
	api_use_rank(&use, ranks);
	if (source->likeliest)
		ck_assert_uint_eq(which_versions[ranks[0].version], source->likeliest);
	ck_assert_uint_eq(use.n_files, 1);
	ck_assert_uint_eq(ranks[0].n_missing == 0, source->likeliest != 0);
	api_use_deinit(&use);
	api_use_deinit(&use);
}
END_TEST

static void add(struct api_use *use, const char *path, const char *text)
{
	api_use_add(use, path, text, strlen(text));
}

START_TEST(several_files)
{
	struct api_use use;

	ck_assert_int_eq(api_use_init(&use), 0);
	add(&use, "old/a.c",
	    "doca_workq_create(8, &q);\ndoca_dma_create(&a);\ndoca_dma_create(&b);");
	add(&use, "new/b.c",
	    "#include <doca_flow.h>\n#include \"doca_own.h\"\n\ndoca_dma_create(d, &c);");
	add(&use, "new/doca_own.h", "int x;");
	add(&use, "sdk/doca_pe.h", "doca_pe_create(&pe);");
	ck_assert_uint_eq(use.n_files, 2);
	ck_assert_uint_eq(use.n_names, 2);
	ck_assert_uint_eq(use.n_evidence, 3);
	ck_assert_uint_eq(api_use_fits(&use), 0);
	ck_assert(api_use_has(&use, "doca_dma_create"));
	ck_assert(!api_use_has(&use, "doca_pe_create"));
	ck_assert(!api_use_has(&use, "nonsense"));
	ck_assert_str_eq(use.evidence[2].name->name, "doca_dma_create");
	ck_assert_int_eq(use.evidence[2].n_arguments, 2);
	ck_assert_str_eq(use.files[use.evidence[2].file].path, "new/b.c");
	ck_assert_uint_eq(use.evidence[2].line, 4);
	ck_assert_uint_eq(use.n_absent, 2);
	ck_assert(api_use_is_absent(&use, &use.absent[0]));
	ck_assert_str_eq(use.absent[0].header, "doca_flow.h");
	ck_assert(!api_use_is_absent(&use, &use.absent[1]));
	ck_assert(!use.is_full);
	api_use_deinit(&use);
}
END_TEST

START_TEST(versions_as_text)
{
	char text[96], little[8];

	api_versions_text(0, text, sizeof(text));
	ck_assert_str_eq(text, "no version");
	api_versions_text(~UINT32_C(0), text, sizeof(text));
	ck_assert_str_eq(text, "1.3 on");
	api_versions_text(UINT32_C(1) << (which_n_versions - 1), text, sizeof(text));
	ck_assert_str_eq(text, "3.3");
	api_versions_text(0x555, text, sizeof(text));
	ck_assert_str_eq(text, "1.3, 2.0, 2.5, 2.7, 2.9, 3.0");
	api_versions_text(0x555, little, sizeof(little));
	ck_assert_uint_lt(strlen(little), sizeof(little));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("which_api");
	TCase *tcase = unit_case(suite, "scan", UNIT_TIMEOUT);

	tcase_add_test(tcase, names_in_code);
	tcase_add_test(tcase, names_elsewhere);
	tcase_add_test(tcase, names_below_conditions);
	tcase_add_test(tcase, arguments);
	tcase_add_test(tcase, truncated_anywhere);
	tcase = unit_case(suite, "versions", UNIT_TIMEOUT);
	tcase_add_loop_test(tcase, versions_of_sources, 0, ARRAY_LEN(sources));
	tcase_add_test(tcase, several_files);
	tcase_add_test(tcase, versions_as_text);
	return unit_run(suite);
}
