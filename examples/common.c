/* Helpers of the examples; common.h describes them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include <doca_dma.h>
#include <doca_log.h>
#if __has_include(<dococ.h>)
#include <dococ.h>
#endif

#include "common.h"

doca_error_t example_failed(const char *what, doca_error_t result)
{
	fprintf(stderr, "%s: %s (%s)\n", what, doca_error_get_descr(result),
		doca_error_get_name(result));
#if __has_include(<dococ.h>)
	/* This runtime also has a sentence about the rule that was broken; the SDK has none. */
	if (dococ_last_error() != NULL && dococ_last_error()[0] != '\0')
		fprintf(stderr, "  %s\n", dococ_last_error());
#endif
	return result;
}

static doca_error_t param_add(const struct example_param *p)
{
	struct doca_argp_param *param;
	doca_error_t result;

	result = doca_argp_param_create(&param);
	if (result != DOCA_SUCCESS)
		return result;
	doca_argp_param_set_short_name(param, p->short_name);
	doca_argp_param_set_long_name(param, p->long_name);
	if (p->arguments != NULL)
		doca_argp_param_set_arguments(param, p->arguments);
	doca_argp_param_set_description(param, p->description);
	doca_argp_param_set_callback(param, p->set);
	doca_argp_param_set_type(param, p->type);
	if (p->is_mandatory)
		doca_argp_param_set_mandatory(param);
	return doca_argp_register_param(param);
}

doca_error_t example_params_read(const char *program, void *config,
				 const struct example_param *params, size_t n_params, int argc,
				 char **argv)
{
	struct doca_log_backend *sdk_log;
	doca_error_t result;
	size_t i;

	/* Backends for the program's own messages and for the library's warnings and errors. */
	result = doca_log_backend_create_standard();
	if (result == DOCA_SUCCESS)
		result = doca_log_backend_create_with_file_sdk(stderr, &sdk_log);
	if (result == DOCA_SUCCESS)
		result = doca_log_backend_set_sdk_level(sdk_log, DOCA_LOG_LEVEL_WARNING);
	if (result != DOCA_SUCCESS)
		return example_failed("create the log", result);

	result = doca_argp_init(program, config);
	if (result != DOCA_SUCCESS)
		return example_failed("prepare the options", result);
	for (i = 0; i < n_params && result == DOCA_SUCCESS; i++)
		result = param_add(&params[i]);
	if (result == DOCA_SUCCESS)
		result = doca_argp_start(argc, argv);
	doca_argp_destroy();
	if (result != DOCA_SUCCESS)
		return example_failed("read the options", result);
	return DOCA_SUCCESS;
}

doca_error_t example_text_copy(char dst[EXAMPLE_TEXT_LEN], const void *value)
{
	size_t len = strlen(value);

	if (len >= EXAMPLE_TEXT_LEN) {
		fprintf(stderr, "an option is longer than %d bytes\n", EXAMPLE_TEXT_LEN - 1);
		return DOCA_ERROR_INVALID_VALUE;
	}
	memcpy(dst, value, len + 1);
	return DOCA_SUCCESS;
}

doca_error_t example_number_copy(int *dst, const void *value, int min, int max)
{
	int number = *(const int *)value;

	if (number < min || number > max) {
		fprintf(stderr, "%d is not in %d to %d\n", number, min, max);
		return DOCA_ERROR_INVALID_VALUE;
	}
	*dst = number;
	return DOCA_SUCCESS;
}

bool example_dev_can_copy(const struct doca_devinfo *info)
{
	return doca_dma_cap_task_memcpy_is_supported(info) == DOCA_SUCCESS;
}

static bool dev_matches(const struct doca_devinfo *info, const char *pci)
{
	uint8_t is_equal = 0;

	return pci[0] == '\0' ||
	       (doca_devinfo_is_equal_pci_addr(info, pci, &is_equal) == DOCA_SUCCESS && is_equal);
}

doca_error_t example_dev_open(const char *pci, example_dev_can_t can, struct doca_dev **dev_out)
{
	struct doca_devinfo **list;
	uint32_t n_devs, i;
	doca_error_t result;

	result = doca_devinfo_create_list(&list, &n_devs);
	if (result != DOCA_SUCCESS)
		return example_failed("list the devices", result);
	result = DOCA_ERROR_NOT_FOUND;
	for (i = 0; i < n_devs && result != DOCA_SUCCESS; i++) {
		if (dev_matches(list[i], pci) && can(list[i]))
			result = doca_dev_open(list[i], dev_out);
	}
	/* The opened device stays valid after the list is destroyed. */
	doca_devinfo_destroy_list(list);
	if (result == DOCA_ERROR_NOT_FOUND)
		fprintf(stderr,
			"there is no device%s%s that can do this; is this the program's side? "
			"'doca-admin devices' lists those of it, 'doca-admin caps' what one can\n",
			pci[0] == '\0' ? "" : " ", pci);
	if (result != DOCA_SUCCESS)
		return example_failed("open a device that can do this", result);
	return DOCA_SUCCESS;
}

static bool rep_matches(const struct doca_devinfo_rep *info, const char *pci)
{
	uint8_t is_equal = 0;

	return pci[0] == '\0' ||
	       (doca_devinfo_rep_is_equal_pci_addr(info, pci, &is_equal) == DOCA_SUCCESS &&
		is_equal);
}

doca_error_t example_rep_open(struct doca_dev *dev, const char *pci, struct doca_dev_rep **rep_out)
{
	struct doca_devinfo_rep **list;
	uint32_t n_reps, i;
	doca_error_t result;

	result = doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &n_reps);
	if (result != DOCA_SUCCESS)
		return example_failed("list the representors", result);
	result = DOCA_ERROR_NOT_FOUND;
	for (i = 0; i < n_reps && result != DOCA_SUCCESS; i++) {
		if (rep_matches(list[i], pci))
			result = doca_dev_rep_open(list[i], rep_out);
	}
	doca_devinfo_rep_destroy_list(list);
	if (result != DOCA_SUCCESS)
		return example_failed("open a representor", result);
	return DOCA_SUCCESS;
}

uint64_t example_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static doca_error_t pe_loop(struct doca_pe *pe, int epoll_fd, bool (*is_done)(void *), void *arg,
			    uint64_t deadline_ns)
{
	struct epoll_event event;
	doca_error_t result;
	uint64_t now_ns;

	for (;;) {
		while (doca_pe_progress(pe) != 0)
			;
		if (is_done(arg))
			return DOCA_SUCCESS;
		now_ns = example_now_ns();
		if (now_ns >= deadline_ns)
			return DOCA_ERROR_TIME_OUT; /* no call of the library timed out */
		/*
		 * If a task completed after the last progress call, the handle becomes readable at
		 * once.
		 */
		result = doca_pe_request_notification(pe);
		if (result != DOCA_SUCCESS)
			return result;
		if (epoll_wait(epoll_fd, &event, 1, (int)((deadline_ns - now_ns) / 1000000 + 1)) <
			    0 &&
		    errno != EINTR)
			return DOCA_ERROR_OPERATING_SYSTEM;
		result = doca_pe_clear_notification(pe, 0);
		if (result != DOCA_SUCCESS)
			return result;
	}
}

doca_error_t example_pe_run(struct doca_pe *pe, bool (*is_done)(void *), void *arg, int timeout_s)
{
	uint64_t deadline_ns = example_now_ns() + (uint64_t)timeout_s * 1000000000u;
	struct epoll_event event = {.events = EPOLLIN};
	doca_notification_handle_t handle;
	doca_error_t result;
	int epoll_fd;

	result = doca_pe_get_notification_handle(pe, &handle);
	if (result != DOCA_SUCCESS)
		return example_failed("get the notification handle", result);
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (epoll_fd < 0 || epoll_ctl(epoll_fd, EPOLL_CTL_ADD, handle, &event) != 0)
		result = DOCA_ERROR_OPERATING_SYSTEM;
	else
		result = pe_loop(pe, epoll_fd, is_done, arg, deadline_ns);
	if (epoll_fd >= 0)
		close(epoll_fd);
	if (result == DOCA_ERROR_TIME_OUT)
		fprintf(stderr, "not done within %d s\n", timeout_s);
	else if (result != DOCA_SUCCESS)
		return example_failed("wait for the progress engine", result);
	return result;
}
