/* daemon/topology/side: detection of a machine's side by its firmware and its configuration. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "daemon/topology/side.h"
#include "tests/unit/unit.h"

static char dir[64];

static void setup(void)
{
	unit_mkdtemp(dir, sizeof(dir), "side");
}

static void teardown(void)
{
	unit_remove_tree(dir);
}

/* Creates the file and its parent directories. */
static const char *put(const char *name, const char *text, size_t len)
{
	static char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	for (char *slash = path + strlen(dir) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	file = fopen(path, "we");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(text, 1, len, file), len);
	ck_assert_int_eq(fclose(file), 0);
	return path;
}

#define PUT(name, text) put(name, text, sizeof(text) - 1)

static void expect(enum side side, const char *why)
{
	struct side_finding finding;

	side_detect(dir, &finding);
	ck_assert_int_eq(finding.side, side);
	ck_assert_msg(strstr(finding.why, why) != NULL, "'%s' is not in '%s'", why, finding.why);
}

START_TEST(machines_without_dpu_signs)
{
	expect(SIDE_HOST, "nothing");
	PUT("sys/class/dmi/id/product_name", "PowerEdge R760\n");
	PUT("sys/firmware/devicetree/base/compatible", "qemu,virt\0linux,dummy-virt\0");
	PUT("sys/bus/acpi/devices/PNP0C0C:00/hid", "PNP0C0C\n");
	expect(SIDE_HOST, "nothing");
}
END_TEST

START_TEST(a_card_makes_no_dpu)
{
	PUT("sys/bus/pci/devices/0000:03:00.0/vendor", "0x15b3\n");
	PUT("sys/bus/pci/devices/0000:03:00.0/device", "0x1017\n");
	expect(SIDE_HOST, "nothing");
	PUT("sys/bus/pci/devices/0000:03:00.0/device", "0xa2d6\n");
	expect(SIDE_HOST, "0000:03:00.0");
	/* Both sides see the card; the firmware decides. */
	PUT("sys/class/dmi/id/product_name", "BlueField-2 DPU\n");
	expect(SIDE_DPU, "BlueField-2 DPU'");
}
END_TEST

START_TEST(dpu_by_firmware)
{
	switch (_i) {
	case 0:
		PUT("sys/class/dmi/id/product_name", "BlueField SoC\n");
		expect(SIDE_DPU, "product_name");
		break;
	case 1:
		PUT("sys/class/dmi/id/product_name", "to be filled\n");
		PUT("sys/class/dmi/id/board_name", "NVIDIA Bluefield-3 card\n");
		expect(SIDE_DPU, "board_name");
		break;
	case 2:
		/* The word comes after a NUL. */
		PUT("sys/firmware/devicetree/base/compatible",
		    "vendor,board\0mellanox,bluefield\0");
		expect(SIDE_DPU, "device tree");
		break;
	default:
		PUT("sys/bus/acpi/devices/MLNXBF04:00/hid", "MLNXBF04\n");
		expect(SIDE_DPU, "MLNXBF04:00");
	}
}
END_TEST

START_TEST(configuration_decides)
{
	struct ini_error error = {.text = ""};
	struct side_finding finding;
	const char *path;

	PUT("sys/class/dmi/id/product_name", "BlueField SoC\n");
	path = PUT("d.conf", "[quota]\nside = 3\n[daemon]\nlog_level = info\nside = host\n");
	ck_assert_int_eq(side_choose(path, dir, &finding, &error), 0);
	ck_assert_int_eq(finding.side, SIDE_HOST);
	ck_assert_ptr_nonnull(strstr(finding.why, "d.conf"));
	path = PUT("d.conf", "[daemon]\nside = auto\n");
	ck_assert_int_eq(side_choose(path, dir, &finding, &error), 0);
	ck_assert_int_eq(finding.side, SIDE_DPU);
	path = PUT("d.conf", "[daemon]\n");
	ck_assert_int_eq(side_choose(path, dir, &finding, &error), 0);
	ck_assert_int_eq(finding.side, SIDE_DPU);
	ck_assert_int_eq(side_choose(NULL, dir, &finding, &error), 0);
	ck_assert_int_eq(finding.side, SIDE_DPU);
}
END_TEST

START_TEST(wrong_configuration)
{
	struct ini_error error = {.text = ""};
	struct side_finding finding;
	const char *path = PUT("d.conf", "[daemon]\n\nside = left\n");

	ck_assert_int_eq(side_choose(path, dir, &finding, &error), -EINVAL);
	ck_assert_ptr_nonnull(strstr(error.text, "d.conf:3: key 'side': 'left' is not allowed"));
	/* Other mistakes are reported when the file is loaded. */
	ck_assert_int_eq(side_choose("/nonexistent/d.conf", dir, &finding, &error), 0);
	path = PUT("d.conf", "[daemon\nx\n[daemon]\nside = dpu\nside\n");
	ck_assert_int_eq(side_choose(path, dir, &finding, &error), 0);
	ck_assert_int_eq(finding.side, SIDE_DPU);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("side");
	TCase *tcase = unit_case(suite, "side", UNIT_TIMEOUT);

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, machines_without_dpu_signs);
	tcase_add_test(tcase, a_card_makes_no_dpu);
	tcase_add_loop_test(tcase, dpu_by_firmware, 0, 4);
	tcase_add_test(tcase, configuration_decides);
	tcase_add_test(tcase, wrong_configuration);
	return unit_run(suite);
}
