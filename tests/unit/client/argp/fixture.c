/* See fixture.h. */
#include "tests/unit/client/argp/fixture.h"

struct doca_devinfo infos[] = {{"0000:03:00.0", "mlx5_0", "p0"}, {"0000:03:00.1", "mlx5_1", "p1"}};
static struct doca_devinfo_rep rep_infos[] = {{"0000:0b:00.0", "VUID-A", "hpf0"},
					      {"0000:0b:00.2", "VUID-B", "hpf0vf0"},
					      {"0000:03:00.4", "VUID-C", "pf0sf0"}};
static struct doca_dev devs[ARRAY_LEN(infos)];
static struct doca_dev_rep reps[ARRAY_LEN(rep_infos)];
int n_lists, n_open, n_reps_open;
doca_error_t list_result;

doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs)
{
	if (list_result != DOCA_SUCCESS)
		return list_result;
	*dev_list = calloc(ARRAY_LEN(infos), sizeof(**dev_list));
	for (size_t i = 0; i < ARRAY_LEN(infos); i++)
		(*dev_list)[i] = &infos[i];
	*nb_devs = ARRAY_LEN(infos);
	n_lists++;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list)
{
	free(dev_list);
	n_lists--;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo, char *pci_addr_str)
{
	strcpy(pci_addr_str, devinfo->pci);
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo, char *ibdev_name,
					 uint32_t size)
{
	ck_assert_uint_ge(size, DOCA_DEVINFO_IBDEV_NAME_SIZE);
	strcpy(ibdev_name, devinfo->ibdev);
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_get_iface_name(const struct doca_devinfo *devinfo, char *iface_name,
					 uint32_t size)
{
	ck_assert_uint_ge(size, DOCA_DEVINFO_IFACE_NAME_SIZE);
	strcpy(iface_name, devinfo->iface);
	return DOCA_SUCCESS;
}

doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev)
{
	size_t i = (size_t)(devinfo - infos);

	devs[i].info = devinfo;
	*dev = &devs[i];
	n_open++;
	return DOCA_SUCCESS;
}

doca_error_t doca_dev_close(struct doca_dev *dev)
{
	ck_assert_ptr_nonnull(dev->info);
	n_open--;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter,
					  struct doca_devinfo_rep ***dev_list_rep,
					  uint32_t *nb_devs_rep)
{
	ck_assert_ptr_nonnull(dev->info);
	ck_assert_int_eq(filter, DOCA_DEVINFO_REP_FILTER_ALL);
	*dev_list_rep = calloc(ARRAY_LEN(rep_infos), sizeof(**dev_list_rep));
	for (size_t i = 0; i < ARRAY_LEN(rep_infos); i++)
		(*dev_list_rep)[i] = &rep_infos[i];
	*nb_devs_rep = ARRAY_LEN(rep_infos);
	n_lists++;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **dev_list_rep)
{
	free(dev_list_rep);
	n_lists--;
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_get_pci_addr_str(const struct doca_devinfo_rep *devinfo_rep,
					       char *pci_addr_str)
{
	strcpy(pci_addr_str, devinfo_rep->pci);
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_get_vuid(const struct doca_devinfo_rep *devinfo_rep, char *rep_vuid,
				       uint32_t size)
{
	ck_assert_uint_ge(size, DOCA_DEVINFO_REP_VUID_SIZE);
	strcpy(rep_vuid, devinfo_rep->vuid);
	return DOCA_SUCCESS;
}

doca_error_t doca_devinfo_rep_get_iface_name(const struct doca_devinfo_rep *devinfo_rep,
					     char *iface_name, uint32_t size)
{
	ck_assert_uint_ge(size, DOCA_DEVINFO_IFACE_NAME_SIZE);
	strcpy(iface_name, devinfo_rep->iface);
	return DOCA_SUCCESS;
}

doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo, struct doca_dev_rep **dev_rep)
{
	size_t i = (size_t)(devinfo - rep_infos);

	reps[i].info = devinfo;
	*dev_rep = &reps[i];
	n_reps_open++;
	return DOCA_SUCCESS;
}

struct seen seen;

void see(void *config, const char *fmt, ...)
{
	struct seen *to = config;
	size_t len = strlen(to->text);
	va_list args;

	va_start(args, fmt);
	vsnprintf(to->text + len, sizeof(to->text) - len, fmt, args);
	va_end(args);
}

doca_error_t on_pci(void *param, void *config)
{
	see(config, "p=%s ", (char *)param);
	return ((struct seen *)config)->answer;
}

doca_error_t on_number(void *param, void *config)
{
	see(config, "n=%d ", *(int *)param);
	return DOCA_SUCCESS;
}

doca_error_t on_flag(void *param, void *config)
{
	see(config, "f=%d ", *(bool *)param);
	return DOCA_SUCCESS;
}

static doca_error_t on_double(void *param, void *config)
{
	see(config, "d=%.3f ", *(double *)param);
	return DOCA_SUCCESS;
}

static doca_error_t on_device(void *param, void *config)
{
	struct doca_argp_device_ctx *ctx = param;

	see(config, "dev=%s(%s) ", ctx->dev->info->pci, ctx->devargs ? ctx->devargs : "");
	return DOCA_SUCCESS;
}

static doca_error_t on_rep(void *param, void *config)
{
	struct doca_argp_device_rep_ctx *ctx = param;

	see(config, "rep=%s,%s(%s) ", ctx->dev_ctx.dev->info->pci, ctx->dev_rep->info->pci,
	    ctx->dev_ctx.devargs ? ctx->dev_ctx.devargs : "");
	return DOCA_SUCCESS;
}

doca_error_t start_arguments(const char *const *words)
{
	char **argv = (char **)(uintptr_t)words;
	int argc = 0;

	while (argv[argc])
		argc++;
	memset(&seen, 0, sizeof(seen));
	return doca_argp_start(argc, argv);
}

struct doca_argp_param *param_new(const char *short_name, const char *long_name,
				  enum doca_argp_type type, doca_argp_param_cb_t callback)
{
	struct doca_argp_param *param = NULL;

	OK(doca_argp_param_create(&param));
	ck_assert_ptr_nonnull(param);
	doca_argp_param_set_short_name(param, short_name);
	doca_argp_param_set_long_name(param, long_name);
	doca_argp_param_set_description(param, "what it is");
	doca_argp_param_set_type(param, type);
	doca_argp_param_set_callback(param, callback);
	return param;
}

struct doca_argp_cmd *cmd_new(const char *name, doca_argp_cmd_cb_t callback)
{
	struct doca_argp_cmd *cmd = NULL;

	OK(doca_argp_cmd_create(&cmd));
	doca_argp_cmd_set_name(cmd, name);
	doca_argp_cmd_set_description(cmd, "what it does");
	doca_argp_cmd_set_callback(cmd, callback);
	return cmd;
}

struct doca_argp_param *program_begin(void)
{
	struct doca_argp_param *param;

	OK(doca_argp_init(NULL, &seen));
	OK(doca_argp_register_param(param_new("n", "number", DOCA_ARGP_TYPE_INT, on_number)));
	OK(doca_argp_register_param(param_new("pf_f", "flag", DOCA_ARGP_TYPE_BOOLEAN, on_flag)));
	param = param_new("d", "double", DOCA_ARGP_TYPE_DOUBLE, on_double);
	doca_argp_param_set_multiplicity(param);
	OK(doca_argp_register_param(param));
	param = param_new("a", "dev", DOCA_ARGP_TYPE_DEVICE, on_device);
	doca_argp_param_set_multiplicity(param);
	OK(doca_argp_register_param(param));
	param = param_new("r", "rep", DOCA_ARGP_TYPE_DEVICE_REP, on_rep);
	doca_argp_param_set_multiplicity(param);
	OK(doca_argp_register_param(param));
	return param_new("p", "pci-addr", DOCA_ARGP_TYPE_STRING, on_pci);
}

void program_ready(void)
{
	OK(doca_argp_register_param(program_begin()));
}

void teardown(void)
{
	doca_argp_destroy();
	ck_assert_int_eq(n_lists, 0);
}

doca_error_t cmd_get(void *config)
{
	see(config, "GET ");
	return DOCA_SUCCESS;
}

static doca_error_t cmd_deep(void *config)
{
	see(config, "DEEP ");
	return DOCA_SUCCESS;
}

static doca_error_t cmd_fails(void *config)
{
	see(config, "FAILS ");
	return DOCA_ERROR_IN_USE;
}

void commands_program(void)
{
	struct doca_argp_cmd *get, *deep, *hidden;
	struct doca_argp_param *param;

	OK(doca_argp_init("prog", &seen));
	param = param_new("p", "pci-addr", DOCA_ARGP_TYPE_STRING, on_pci);
	doca_argp_param_set_inherited(param);
	OK(doca_argp_register_param(param));
	OK(doca_argp_register_param(param_new("n", "number", DOCA_ARGP_TYPE_INT, on_number)));
	get = cmd_new("get", cmd_get);
	OK(doca_argp_cmd_register_param(get,
					param_new("v", "val", DOCA_ARGP_TYPE_BOOLEAN, on_flag)));
	deep = cmd_new("deep", cmd_deep);
	OK(doca_argp_cmd_register_cmd(get, deep));
	OK(doca_argp_register_cmd(get));
	/* Allowed also after the command was registered. */
	param = param_new("m", NULL, DOCA_ARGP_TYPE_DOUBLE, on_double);
	doca_argp_param_set_mandatory(param);
	OK(doca_argp_cmd_register_param(get, param));
	OK(doca_argp_cmd_register_param(deep, param_new("n", NULL, DOCA_ARGP_TYPE_STRING, on_pci)));
	OK(doca_argp_register_cmd(cmd_new("fails", cmd_fails)));
	hidden = cmd_new("secret", cmd_fails);
	doca_argp_cmd_set_hidden(hidden);
	OK(doca_argp_register_cmd(hidden));
}
