/*
 * Signatures of the types, error, version, log, argument and device headers in the selected
 * version, those of earlier generations first; tests/abi/version_values.sh compiles it for each. A
 * program of the wrong version does not get that far, see there.
 */
#include <stdio.h>

#include <doca_argp.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_log.h>
#include <doca_version.h>

#define SAME(name, ...)                                                              \
	_Static_assert(__builtin_types_compatible_p(__typeof__(&name), __VA_ARGS__), \
		       "type of " #name)

SAME(doca_version, const char *(*)(void));

#if DOCA_USE_VERSION >= 103 && DOCA_USE_VERSION <= 104
SAME(doca_devinfo_remote_list_create,
     doca_error_t (*)(struct doca_dev *dev, enum doca_dev_remote_filter filter,
		      struct doca_devinfo_remote ***dev_list_remote, uint32_t *nb_devs_remote));
SAME(doca_devinfo_property_get,
     doca_error_t (*)(const struct doca_devinfo *devinfo, enum doca_devinfo_property property,
		      uint8_t *value, uint32_t size));
SAME(doca_dev_as_devinfo, doca_error_t (*)(struct doca_dev *dev, struct doca_devinfo **devinfo));
SAME(doca_devinfo_remote_list_destroy,
     doca_error_t (*)(struct doca_devinfo_remote **devinfo_remote_list));
SAME(doca_devinfo_remote_property_get,
     doca_error_t (*)(const struct doca_devinfo_remote *devinfo_remote,
		      enum doca_devinfo_remote_property property, uint8_t *value, uint32_t size));
SAME(doca_dev_remote_open, doca_error_t (*)(struct doca_devinfo_remote *devinfo_remote,
					    struct doca_dev_remote **dev_remote));
SAME(doca_dev_remote_close, doca_error_t (*)(struct doca_dev_remote *dev_remote));
SAME(doca_dev_remote_as_devinfo, doca_error_t (*)(struct doca_dev_remote *dev_remote,
						  struct doca_devinfo_remote **devinfo_remote));
#endif

#if DOCA_USE_VERSION >= 103 && DOCA_USE_VERSION <= 204
SAME(doca_argp_register_version_callback, doca_error_t (*)(callback_func callback));
SAME(doca_argp_register_validation_callback, doca_error_t (*)(validation_callback callback));
SAME(doca_argp_set_dpdk_program, void (*)(dpdk_callback callback));
SAME(doca_argp_param_set_callback, void (*)(struct doca_argp_param *param, callback_func callback));
SAME(doca_devinfo_list_create,
     doca_error_t (*)(struct doca_devinfo ***dev_list, uint32_t *nb_devs));
SAME(doca_devinfo_list_destroy, doca_error_t (*)(struct doca_devinfo **dev_list));
SAME(doca_get_error_name, const char *(*)(doca_error_t error));
SAME(doca_get_error_string, const char *(*)(doca_error_t error));
SAME(doca_log_get_bucket_time, uint16_t (*)(void));
SAME(doca_log_set_bucket_time, void (*)(uint16_t bucket_time));
SAME(doca_log_get_quantity, uint16_t (*)(void));
SAME(doca_log_set_quantity, void (*)(uint16_t quantity));
SAME(doca_log_backend_level_set,
     doca_error_t (*)(struct doca_logger_backend *logger, uint32_t level));
SAME(doca_log_backend_set_upper_level_limit,
     doca_error_t (*)(struct doca_logger_backend *logger, uint32_t upper_level_limit));
SAME(doca_log_backend_set_lower_level_immutable,
     doca_error_t (*)(struct doca_logger_backend *logger));
SAME(doca_log_backend_set_upper_level_immutable,
     doca_error_t (*)(struct doca_logger_backend *logger));
SAME(doca_log_global_level_set, doca_error_t (*)(uint32_t level));
SAME(doca_log_global_set_upper_level_limit, doca_error_t (*)(uint32_t upper_level_limit));
SAME(doca_log_global_level_get, uint32_t (*)(void));
SAME(doca_log_source_register, doca_error_t (*)(const char *source_name, int *source));
SAME(doca_log_source_destroy, doca_error_t (*)(int source));
SAME(doca_log_rate_bucket_register, doca_error_t (*)(int source, int *bucket));
SAME(doca_log_create_file_backend,
     doca_error_t (*)(FILE *fptr, struct doca_logger_backend **backend));
SAME(doca_log_create_fd_backend, doca_error_t (*)(int fd, struct doca_logger_backend **backend));
SAME(doca_log_create_buffer_backend,
     doca_error_t (*)(char *buffer, size_t capacity, log_flush_callback handler,
		      struct doca_logger_backend **backend));
SAME(doca_log_create_syslog_backend,
     doca_error_t (*)(const char *name, struct doca_logger_backend **backend));
SAME(doca_log_create_standard_backend, doca_error_t (*)(void));
SAME(doca_log, doca_error_t (*)(uint32_t level, int source, int line, const char *format, ...));
SAME(doca_log_developer,
     doca_error_t (*)(uint32_t level, int source, int line, const char *format, ...));
SAME(doca_log_rate_limit,
     doca_error_t (*)(uint32_t level, int source, int line, int bucket, const char *format, ...));
#endif

#if DOCA_USE_VERSION >= 103 && DOCA_USE_VERSION <= 206
SAME(doca_argp_set_grpc_program, void (*)(void));
SAME(doca_argp_get_grpc_addr, doca_error_t (*)(const char **address));
#endif

#if DOCA_USE_VERSION >= 103 && DOCA_USE_VERSION <= 303
SAME(doca_argp_usage, void (*)(void));
SAME(doca_argp_init, doca_error_t (*)(const char *program_name, void *program_config));
SAME(doca_argp_register_param, doca_error_t (*)(struct doca_argp_param *input_param));
SAME(doca_argp_start, doca_error_t (*)(int argc, char **argv));
SAME(doca_argp_destroy, doca_error_t (*)(void));
SAME(doca_argp_param_create, doca_error_t (*)(struct doca_argp_param **param));
SAME(doca_argp_param_set_short_name, void (*)(struct doca_argp_param *param, const char *name));
SAME(doca_argp_param_set_long_name, void (*)(struct doca_argp_param *param, const char *name));
SAME(doca_argp_param_set_arguments, void (*)(struct doca_argp_param *param, const char *arguments));
SAME(doca_argp_param_set_description,
     void (*)(struct doca_argp_param *param, const char *description));
SAME(doca_argp_param_set_type, void (*)(struct doca_argp_param *param, enum doca_argp_type type));
SAME(doca_argp_param_set_mandatory, void (*)(struct doca_argp_param *param));
SAME(doca_argp_param_set_cli_only, void (*)(struct doca_argp_param *param));
SAME(doca_argp_param_set_multiplicity, void (*)(struct doca_argp_param *param));
SAME(doca_argp_param_destroy, doca_error_t (*)(struct doca_argp_param *param));
SAME(doca_argp_get_log_level, doca_error_t (*)(int *log_level));
SAME(doca_dev_open, doca_error_t (*)(struct doca_devinfo *devinfo, struct doca_dev **dev));
SAME(doca_dev_close, doca_error_t (*)(struct doca_dev *dev));
SAME(doca_version_runtime, const char *(*)(void));
#endif

#if DOCA_USE_VERSION >= 105 && DOCA_USE_VERSION <= 105
SAME(doca_devinfo_get_pci_addr,
     doca_error_t (*)(const struct doca_devinfo *devinfo, struct doca_pci_bdf *pci_addr));
SAME(doca_devinfo_get_is_mmap_export_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *mmap_export));
SAME(doca_devinfo_get_is_mmap_from_export_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *from_export));
SAME(doca_devinfo_rep_get_is_list_virtio_fs_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *virtio_fs_supported));
SAME(doca_devinfo_rep_get_is_list_virtio_net_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *virtio_net_supported));
SAME(doca_devinfo_rep_get_is_list_virtio_blk_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *virtio_blk_supported));
SAME(doca_devinfo_rep_get_is_list_nvme_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *nvme_supported));
SAME(doca_devinfo_rep_get_pci_addr,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep, struct doca_pci_bdf *pci_addr));
#endif

#if DOCA_USE_VERSION >= 105 && DOCA_USE_VERSION <= 204
SAME(doca_devinfo_rep_list_create,
     doca_error_t (*)(struct doca_dev *dev, int filter, struct doca_devinfo_rep ***dev_list_rep,
		      uint32_t *nb_devs_rep));
SAME(doca_devinfo_rep_list_destroy, doca_error_t (*)(struct doca_devinfo_rep **dev_list_rep));
SAME(doca_devinfo_get_is_hotplug_manager_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *is_hotplug_manager));
SAME(doca_devinfo_rep_get_is_list_all_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *all_supported));
SAME(doca_devinfo_rep_get_is_list_net_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *net_supported));
#endif

#if DOCA_USE_VERSION >= 105 && DOCA_USE_VERSION <= 303
SAME(doca_dev_rep_open,
     doca_error_t (*)(struct doca_devinfo_rep *devinfo, struct doca_dev_rep **dev_rep));
SAME(doca_dev_rep_close, doca_error_t (*)(struct doca_dev_rep *dev));
SAME(doca_dev_as_devinfo, struct doca_devinfo *(*)(const struct doca_dev *dev));
SAME(doca_dev_rep_as_devinfo, struct doca_devinfo_rep *(*)(struct doca_dev_rep *dev_rep));
SAME(doca_devinfo_get_ipv4_addr,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *ipv4_addr, uint32_t size));
SAME(doca_devinfo_get_ipv6_addr,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *ipv6_addr, uint32_t size));
SAME(doca_devinfo_get_iface_name,
     doca_error_t (*)(const struct doca_devinfo *devinfo, char *iface_name, uint32_t size));
SAME(doca_devinfo_get_ibdev_name,
     doca_error_t (*)(const struct doca_devinfo *devinfo, char *ibdev_name, uint32_t size));
SAME(doca_devinfo_rep_get_vuid,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep, char *rep_vuid, uint32_t size));
SAME(doca_devinfo_rep_get_pci_func_type,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep,
		      enum doca_pci_func_type *pci_func_type));
#endif

#if DOCA_USE_VERSION >= 200 && DOCA_USE_VERSION <= 204
SAME(doca_devinfo_get_is_pci_addr_equal,
     doca_error_t (*)(const struct doca_devinfo *devinfo, const char *pci_addr_str,
		      uint8_t *is_equal));
SAME(doca_devinfo_get_is_mmap_export_dpu_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *mmap_export));
SAME(doca_devinfo_get_is_mmap_from_export_dpu_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *from_export));
SAME(doca_devinfo_rep_get_is_list_emulated_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *emulated_supported));
SAME(doca_devinfo_rep_get_is_pci_addr_equal,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep, const char *pci_addr_str,
		      uint8_t *is_equal));
#endif

#if DOCA_USE_VERSION >= 200 && DOCA_USE_VERSION <= 303
SAME(doca_devinfo_get_pci_addr_str,
     doca_error_t (*)(const struct doca_devinfo *devinfo, char *pci_addr_str));
SAME(doca_devinfo_get_mac_addr,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *mac_addr, uint32_t size));
SAME(doca_devinfo_get_lid, doca_error_t (*)(const struct doca_devinfo *devinfo, uint16_t *lid));
SAME(doca_devinfo_rep_get_pci_addr_str,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep, char *pci_addr_str));
#endif

#if DOCA_USE_VERSION >= 205 && DOCA_USE_VERSION <= 205
SAME(doca_log_backend_create_with_buffer,
     doca_error_t (*)(char *buffer, size_t capacity, log_flush_callback handler,
		      struct doca_log_backend **backend));
SAME(doca_log_backend_create_with_buffer_sdk,
     doca_error_t (*)(char *buffer, size_t capacity, log_flush_callback handler,
		      struct doca_log_backend **backend));
#endif

#if DOCA_USE_VERSION >= 205 && DOCA_USE_VERSION <= 303
SAME(doca_log, doca_error_t (*)(uint32_t level, int source, const char *fname, int line,
				const char *func, const char *format, ...));
#endif

#if DOCA_USE_VERSION >= 206 && DOCA_USE_VERSION <= 206
SAME(doca_devinfo_get_active_rate,
     doca_error_t (*)(const struct doca_devinfo *devinfo, double *active_rate));
#endif

#if DOCA_USE_VERSION >= 207 && DOCA_USE_VERSION <= 303
SAME(doca_devinfo_get_active_rate,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint64_t *active_rate));
#endif
