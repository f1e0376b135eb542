/* daemon/base/events: subscribers get every event, in order, until they unsubscribe. */
#include <string.h>

#include "daemon/base/events.h"
#include "tests/unit/unit.h"

static char seen[128];
static const char export[] = "export";
static char a_name[] = "a", b_name[] = "b", c_name[] = "c", never_name[] = "never";

static void on_object(void *user, enum object_kind kind, enum object_change change,
		      const void *object)
{
	size_t len = strlen(seen);

	snprintf(seen + len, sizeof(seen) - len, "%s:%d:%d:%s ", (const char *)user, (int)kind,
		 (int)change, (const char *)object);
}

static void on_totals(void *user)
{
	size_t len = strlen(seen);

	snprintf(seen + len, sizeof(seen) - len, "%s:totals ", (const char *)user);
}

START_TEST(without_subscribers)
{
	struct events events = {.first = NULL};
	struct events_subscriber never = {.on_object = on_object, .user = never_name};

	events_emit(&events, OBJECT_EXPORT, OBJECT_ADDED, export);
	events_emit_totals(&events);
	events_unsubscribe(&events, &never);
	ck_assert_str_eq(seen, "");
}
END_TEST

START_TEST(subscribers_run_in_order)
{
	struct events events = {.first = NULL};
	struct events_subscriber a = {
		.on_object = on_object, .on_totals = on_totals, .user = a_name};
	struct events_subscriber b = {.on_object = on_object, .user = b_name};
	struct events_subscriber c = {.on_totals = on_totals, .user = c_name};

	events_subscribe(&events, &a);
	events_subscribe(&events, &b);
	events_subscribe(&events, &c);
	events_emit(&events, OBJECT_EXPORT, OBJECT_REMOVED, export);
	ck_assert_str_eq(seen, "a:3:2:export b:3:2:export ");
	seen[0] = '\0';
	events_emit_totals(&events);
	ck_assert_str_eq(seen, "a:totals c:totals ");
	seen[0] = '\0';
	events_unsubscribe(&events, &b);
	events_unsubscribe(&events, &b);
	events_emit(&events, OBJECT_DEVICE, OBJECT_ADDED, export);
	ck_assert_str_eq(seen, "a:0:0:export ");
	seen[0] = '\0';
	events_unsubscribe(&events, &a);
	events_emit(&events, OBJECT_DEVICE, OBJECT_ADDED, export);
	events_emit_totals(&events);
	ck_assert_str_eq(seen, "c:totals ");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("daemon events");
	TCase *tcase = unit_case(suite, "events", UNIT_TIMEOUT);

	tcase_add_test(tcase, without_subscribers);
	tcase_add_test(tcase, subscribers_run_in_order);
	return unit_run(suite);
}
