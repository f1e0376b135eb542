/*
 * The public interface, row by row: types, errors, devices, memory. Each row appears once, with the
 * versions that have it; tests/abi/interface_test.c explains the rows.
 */

/* doca_types.h */
#if IN(103, 206)
FIELD(union doca_data, ptr, void *);
FIELD(union doca_data, u64, uint64_t);
#endif
#if IN(105, 999)
SAME_TYPE(doca_event_handle_t, int);
#endif
#if IN(105, 204)
IS(DOCA_PCI_FUNC_PF, 0);
IS(DOCA_PCI_FUNC_VF, 1);
IS(DOCA_PCI_FUNC_SF, 2);
#endif
#if IN(105, 199)
IS(DOCA_ACCESS_LOCAL_READ, 0);
IS(DOCA_ACCESS_LOCAL_WRITE, 1);
IS(DOCA_ACCESS_REMOTE_WRITE, 2);
IS(DOCA_ACCESS_REMOTE_READ, 4);
IS(DOCA_ACCESS_REMOTE_ATOMIC, 8);
IS(PCI_FUNCTION_MAX_VALUE, 8);
IS(PCI_DEVICE_MAX_VALUE, 32);
IS(PCI_BUS_MAX_VALUE, 256);
#endif
#if IN(200, 999)
SAME_TYPE(doca_notification_handle_t, doca_event_handle_t);
IS(DOCA_MTU_SIZE_256_BYTES, 0);
IS(DOCA_MTU_SIZE_512_BYTES, 1);
IS(DOCA_MTU_SIZE_1K_BYTES, 2);
IS(DOCA_MTU_SIZE_2K_BYTES, 3);
IS(DOCA_MTU_SIZE_4K_BYTES, 4);
IS(DOCA_MTU_SIZE_RAW_ETHERNET, 5);
IS(doca_event_invalid_handle, -1);
IS(DOCA_GID_BYTE_LENGTH, 16);
#endif
#if IN(200, 204)
IS(DOCA_ACCESS_LOCAL_READ_ONLY, 0);
IS(DOCA_ACCESS_LOCAL_READ_WRITE, 1);
IS(DOCA_ACCESS_RDMA_READ, 2);
IS(DOCA_ACCESS_RDMA_WRITE, 4);
IS(DOCA_ACCESS_RDMA_ATOMIC, 8);
IS(DOCA_ACCESS_DPU_READ_ONLY, 16);
IS(DOCA_ACCESS_DPU_READ_WRITE, 32);
IS(DOCA_GPU_MEM_GPU, 0);
IS(DOCA_GPU_MEM_GPU_CPU, 1);
IS(DOCA_GPU_MEM_CPU, 2);
IS(DOCA_GPU_MEM_CPU_GPU, 3);
IS(DOCA_ETH_WAIT_ON_TIME_NONE, 0);
IS(DOCA_ETH_WAIT_ON_TIME_NATIVE, 1);
IS(DOCA_ETH_WAIT_ON_TIME_DPDK, 2);
#endif
#if IN(205, 206)
FIELD(struct doca_gather_list, addr, void *);
FIELD(struct doca_gather_list, len, uint64_t);
FIELD(struct doca_gather_list, next, struct doca_gather_list *);
#endif
#if IN(205, 999)
IS(DOCA_ACCESS_FLAG_LOCAL_READ_ONLY, 0);
IS(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, 1);
IS(DOCA_ACCESS_FLAG_RDMA_READ, 2);
IS(DOCA_ACCESS_FLAG_RDMA_WRITE, 4);
IS(DOCA_ACCESS_FLAG_RDMA_ATOMIC, 8);
IS(DOCA_ACCESS_FLAG_PCI_READ_ONLY, 16);
IS(DOCA_ACCESS_FLAG_PCI_READ_WRITE, 32);
IS(DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING, 64);
IS(DOCA_PCI_FUNC_TYPE_PF, 0);
IS(DOCA_PCI_FUNC_TYPE_VF, 1);
IS(DOCA_PCI_FUNC_TYPE_SF, 2);
IS(DOCA_GPU_MEM_TYPE_GPU, 0);
IS(DOCA_GPU_MEM_TYPE_GPU_CPU, 1);
IS(DOCA_GPU_MEM_TYPE_CPU_GPU, 2);
IS(DOCA_ETH_WAIT_ON_TIME_TYPE_NONE, 0);
IS(DOCA_ETH_WAIT_ON_TIME_TYPE_NATIVE, 1);
IS(DOCA_ETH_WAIT_ON_TIME_TYPE_DPDK, 2);
#endif
#if IN(207, 999)
SAME_TYPE(doca_be16_t, __be16);
SAME_TYPE(doca_be32_t, __be32);
SAME_TYPE(doca_be64_t, __be64);
#endif

/* doca_error.h */
IS(DOCA_SUCCESS, 0);
IS(DOCA_ERROR_UNKNOWN, 1);
IS(DOCA_ERROR_NOT_PERMITTED, 2);
IS(DOCA_ERROR_IN_USE, 3);
IS(DOCA_ERROR_NOT_SUPPORTED, 4);
IS(DOCA_ERROR_AGAIN, 5);
IS(DOCA_ERROR_INVALID_VALUE, 6);
IS(DOCA_ERROR_NO_MEMORY, 7);
IS(DOCA_ERROR_INITIALIZATION, 8);
IS(DOCA_ERROR_TIME_OUT, 9);
IS(DOCA_ERROR_SHUTDOWN, 10);
IS(DOCA_ERROR_CONNECTION_RESET, 11);
IS(DOCA_ERROR_CONNECTION_ABORTED, 12);
IS(DOCA_ERROR_CONNECTION_INPROGRESS, 13);
IS(DOCA_ERROR_NOT_CONNECTED, 14);
IS(DOCA_ERROR_NO_LOCK, 15);
IS(DOCA_ERROR_NOT_FOUND, 16);
IS(DOCA_ERROR_IO_FAILED, 17);
IS(DOCA_ERROR_BAD_STATE, 18);
#if IN(103, 204)
SAME(doca_get_error_name, const char *(*)(doca_error_t error));
SAME(doca_get_error_string, const char *(*)(doca_error_t error));
#endif
#if IN(105, 999)
IS(DOCA_ERROR_UNSUPPORTED_VERSION, 19);
IS(DOCA_ERROR_OPERATING_SYSTEM, 20);
IS(DOCA_ERROR_DRIVER, 21);
IS(DOCA_ERROR_UNEXPECTED, 22);
#endif
#if IN(200, 999)
IS(DOCA_ERROR_ALREADY_EXIST, 23);
IS(DOCA_ERROR_FULL, 24);
IS(DOCA_ERROR_EMPTY, 25);
IS(DOCA_ERROR_IN_PROGRESS, 26);
SAME_TYPE(doca_error_t, enum doca_error);
#endif
#if IN(205, 999)
IS(DOCA_ERROR_TOO_BIG, 27);
SAME(doca_error_get_name, const char *(*)(doca_error_t error));
SAME(doca_error_get_descr, const char *(*)(doca_error_t error));
#endif
#if IN(207, 999)
IS(DOCA_ERROR_AUTHENTICATION, 28);
IS(DOCA_ERROR_BAD_CONFIG, 29);
IS(DOCA_ERROR_SKIPPED, 30);
IS(DOCA_ERROR_DEVICE_FATAL_ERROR, 31);
#endif

/* doca_version.h */
SAME(doca_version, const char *(*)(void));
SAME(doca_version_runtime, const char *(*)(void));
#if IN(105, 199) || IN(205, 205)
IS(DOCA_VER_MINOR, 5);
#endif
#if IN(105, 199)
IS(DOCA_VER_MAJOR, 1);
IS(DOCA_VER_PATCH, 55);
#endif
#if IN(200, 205)
IS(DOCA_VER_MAJOR, 2);
#endif
#if IN(202, 204)
IS(DOCA_VER_MINOR, 2);
IS(DOCA_VER_PATCH, 80);
#endif
#if IN(205, 205)
IS(DOCA_VER_PATCH, 108);
#endif
#if IN(206, 206)
IS(DOCA_VERSION_MAJOR, 2);
IS(DOCA_VERSION_MINOR, 6);
IS(DOCA_VERSION_PATCH, 58);
#endif

/* doca_dev.h */
SAME(doca_dev_open, doca_error_t (*)(struct doca_devinfo *devinfo, struct doca_dev **dev));
SAME(doca_dev_close, doca_error_t (*)(struct doca_dev *dev));
#if IN(103, 204)
SAME(doca_devinfo_list_create,
     doca_error_t (*)(struct doca_devinfo ***dev_list, uint32_t *nb_devs));
SAME(doca_devinfo_list_destroy, doca_error_t (*)(struct doca_devinfo **dev_list));
#endif
#if IN(103, 104)
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
THERE(DOCA_DEVINFO_PROPERTY_VUID);
THERE(DOCA_DEVINFO_PROPERTY_PCI_ADDR);
THERE(DOCA_DEVINFO_PROPERTY_IPV4_ADDR);
THERE(DOCA_DEVINFO_PROPERTY_IPV6_ADDR);
THERE(DOCA_DEVINFO_PROPERTY_IFACE_NAME);
THERE(DOCA_DEVINFO_PROPERTY_IBDEV_NAME);
THERE(DOCA_DEVINFO_REMOTE_PROPERTY_VUID);
IS(DOCA_DEV_REMOTE_FILTER_ALL, 0);
IS(DOCA_DEV_REMOTE_FILTER_NET, 2);
#endif
#if IN(105, 999)
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
IS(DOCA_DEVINFO_VUID_SIZE, 128);
IS(DOCA_DEVINFO_IPV4_ADDR_SIZE, 4);
IS(DOCA_DEVINFO_IPV6_ADDR_SIZE, 16);
IS(DOCA_DEVINFO_IFACE_NAME_SIZE, 256);
IS(DOCA_DEVINFO_IBDEV_NAME_SIZE, 64);
IS(DOCA_DEVINFO_REP_VUID_SIZE, 128);
#endif
#if IN(105, 204)
IS(DOCA_DEV_REP_FILTER_ALL, 0);
IS(DOCA_DEV_REP_FILTER_NET, 2);
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
#if IN(105, 199)
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
IS(DOCA_DEV_REP_FILTER_VIRTIO_FS, 4);
IS(DOCA_DEV_REP_FILTER_VIRTIO_NET, 8);
IS(DOCA_DEV_REP_FILTER_VIRTIO_BLK, 16);
IS(DOCA_DEV_REP_FILTER_NVME, 32);
#endif
#if IN(200, 999)
SAME(doca_devinfo_get_pci_addr_str,
     doca_error_t (*)(const struct doca_devinfo *devinfo, char *pci_addr_str));
SAME(doca_devinfo_get_mac_addr,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *mac_addr, uint32_t size));
SAME(doca_devinfo_get_lid, doca_error_t (*)(const struct doca_devinfo *devinfo, uint16_t *lid));
SAME(doca_devinfo_rep_get_pci_addr_str,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep, char *pci_addr_str));
IS(DOCA_DEVINFO_MAC_ADDR_SIZE, 6);
IS(DOCA_DEVINFO_PCI_ADDR_SIZE, 13);
IS(DOCA_DEVINFO_PCI_BDF_SIZE, 8);
IS(DOCA_DEVINFO_REP_PCI_ADDR_SIZE, 13);
IS(DOCA_DEVINFO_REP_PCI_BDF_SIZE, 8);
#endif
#if IN(200, 204)
IS(DOCA_DEV_REP_FILTER_EMULATED, 4);
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
#if IN(205, 999)
IS(DOCA_DEVINFO_REP_FILTER_ALL, 0);
IS(DOCA_DEVINFO_REP_FILTER_NET, 2);
IS(DOCA_DEVINFO_REP_FILTER_EMULATED, 4);
SAME(doca_devinfo_create_list,
     doca_error_t (*)(struct doca_devinfo ***dev_list, uint32_t *nb_devs));
SAME(doca_devinfo_destroy_list, doca_error_t (*)(struct doca_devinfo **dev_list));
SAME(doca_devinfo_rep_create_list,
     doca_error_t (*)(struct doca_dev *dev, int filter, struct doca_devinfo_rep ***dev_list_rep,
		      uint32_t *nb_devs_rep));
SAME(doca_devinfo_rep_destroy_list, doca_error_t (*)(struct doca_devinfo_rep **dev_list_rep));
SAME(doca_devinfo_is_equal_pci_addr, doca_error_t (*)(const struct doca_devinfo *devinfo,
						      const char *pci_addr_str, uint8_t *is_equal));
SAME(doca_devinfo_cap_is_hotplug_manager_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *is_hotplug_manager));
SAME(doca_devinfo_rep_cap_is_filter_all_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *filter_all_supported));
SAME(doca_devinfo_rep_cap_is_filter_net_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *filter_net_supported));
SAME(doca_devinfo_rep_cap_is_filter_emulated_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *filter_emulated_supported));
SAME(doca_devinfo_rep_get_is_hotplug,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep, uint8_t *is_hotplug));
SAME(doca_devinfo_rep_is_equal_pci_addr,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep, const char *pci_addr_str,
		      uint8_t *is_equal));
#endif
#if IN(206, 206)
SAME(doca_devinfo_get_active_rate,
     doca_error_t (*)(const struct doca_devinfo *devinfo, double *active_rate));
#endif
#if IN(207, 999)
SAME(doca_dev_accelerate_resource_reclaim, doca_error_t (*)(struct doca_dev *dev));
SAME(doca_devinfo_get_active_rate,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint64_t *active_rate));
SAME(doca_devinfo_cap_is_notification_moderation_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo,
		      uint8_t *is_notification_moderation_supported));
SAME(doca_devinfo_cap_is_accelerate_resource_reclaim_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *is_accelerate_resource_reclaim));
SAME(doca_devinfo_rep_get_iface_name,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep, char *iface_name, uint32_t size));
SAME(doca_devinfo_get_vhca_id,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint16_t *vhca_id));
SAME(doca_devinfo_rep_get_vhca_id,
     doca_error_t (*)(const struct doca_devinfo_rep *devinfo_rep, uint16_t *vhca_id));
SAME(doca_devinfo_get_pci_func_type,
     doca_error_t (*)(const struct doca_devinfo *devinfo, enum doca_pci_func_type *pci_func_type));
SAME(doca_devinfo_get_sf_index,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint32_t *sf_index));
#endif

/* doca_mmap.h */
SAME(doca_mmap_destroy, doca_error_t (*)(struct doca_mmap *mmap));
SAME(doca_mmap_start, doca_error_t (*)(struct doca_mmap *mmap));
SAME(doca_mmap_stop, doca_error_t (*)(struct doca_mmap *mmap));
#if IN(103, 204)
SAME(doca_mmap_dev_add, doca_error_t (*)(struct doca_mmap *mmap, struct doca_dev *dev));
SAME(doca_mmap_dev_rm, doca_error_t (*)(struct doca_mmap *mmap, struct doca_dev *dev));
#endif
#if IN(103, 104)
SAME(doca_mmap_create, doca_error_t (*)(const char *name, struct doca_mmap **mmap));
SAME(doca_mmap_property_set,
     doca_error_t (*)(struct doca_mmap *mmap, enum doca_mmap_property property,
		      const uint8_t *value, uint32_t size));
SAME(doca_mmap_property_get,
     doca_error_t (*)(struct doca_mmap *mmap, enum doca_mmap_property property,
		      const uint8_t *value, uint32_t size));
SAME(doca_mmap_populate,
     doca_error_t (*)(struct doca_mmap *mmap, char *addr, size_t len, size_t pg_sz,
		      doca_mmap_memrange_free_cb_t *free_cb, void *opaque));
SAME(doca_mmap_export, doca_error_t (*)(struct doca_mmap *mmap, const struct doca_dev *dev,
					uint8_t **export_desc, size_t *export_desc_len));
SAME(doca_mmap_create_from_export,
     doca_error_t (*)(const char *name, const uint8_t *export_desc, size_t export_desc_len,
		      struct doca_dev *dev, struct doca_mmap **mmap));
THERE(DOCA_MMAP_MAX_NUM_CHUNKS);
THERE(DOCA_MMAP_ACCESS);
IS(DOCA_MMAP_ACCESS_LOCAL_READ, 0);
IS(DOCA_MMAP_ACCESS_LOCAL_WRITE, 1);
IS(DOCA_MMAP_ACCESS_REMOTE_WRITE, 2);
IS(DOCA_MMAP_ACCESS_REMOTE_READ, 4);
IS(DOCA_MMAP_ACCESS_REMOTE_ATOMIC, 8);
#endif
#if IN(103, 206)
SAME_TYPE(doca_mmap_memrange_free_cb_t, void(void *addr, size_t len, void *opaque));
#endif
#if IN(105, 999)
SAME(doca_mmap_create_from_export,
     doca_error_t (*)(const union doca_data *user_data, const void *export_desc,
		      size_t export_desc_len, struct doca_dev *dev, struct doca_mmap **mmap));
SAME(doca_mmap_set_max_num_devices,
     doca_error_t (*)(struct doca_mmap *mmap, uint32_t max_num_devices));
#endif
#if IN(105, 204)
SAME(doca_mmap_create, doca_error_t (*)(const union doca_data *user_data, struct doca_mmap **mmap));
SAME(doca_mmap_get_user_data, doca_error_t (*)(struct doca_mmap *mmap, union doca_data *user_data));
SAME(doca_mmap_get_max_num_devices,
     doca_error_t (*)(struct doca_mmap *mmap, uint32_t *max_num_devices));
SAME(doca_mmap_get_num_bufs, doca_error_t (*)(struct doca_mmap *mmap, uint32_t *num_bufs));
SAME(doca_mmap_get_exported, doca_error_t (*)(struct doca_mmap *mmap, uint8_t *exported));
SAME(doca_mmap_get_from_export, doca_error_t (*)(struct doca_mmap *mmap, uint8_t *from_export));
#endif
#if IN(105, 199)
SAME(doca_mmap_populate,
     doca_error_t (*)(struct doca_mmap *mmap, void *addr, size_t len, size_t pg_sz,
		      doca_mmap_memrange_free_cb_t *free_cb, void *opaque));
SAME(doca_mmap_export, doca_error_t (*)(struct doca_mmap *mmap, const struct doca_dev *dev,
					void **export_desc, size_t *export_desc_len));
SAME(doca_mmap_get_max_num_chunks,
     doca_error_t (*)(struct doca_mmap *mmap, uint32_t *max_num_chunks));
#endif
#if IN(105, 204)
SAME(doca_mmap_set_max_num_chunks,
     doca_error_t (*)(struct doca_mmap *mmap, uint32_t max_num_chunks));
#endif
#if IN(200, 999)
SAME(doca_mmap_export_rdma, doca_error_t (*)(struct doca_mmap *mmap, const struct doca_dev *dev,
					     const void **export_desc, size_t *export_desc_len));
SAME(doca_mmap_set_memrange, doca_error_t (*)(struct doca_mmap *mmap, void *addr, size_t len));
SAME(doca_mmap_get_memrange,
     doca_error_t (*)(const struct doca_mmap *mmap, void **addr, size_t *len));
SAME(doca_mmap_set_free_cb,
     doca_error_t (*)(struct doca_mmap *mmap, doca_mmap_memrange_free_cb_t *free_cb, void *opaque));
SAME(doca_mmap_set_permissions, doca_error_t (*)(struct doca_mmap *mmap, uint32_t access_mask));
#endif
#if IN(200, 204)
SAME(doca_mmap_export_dpu, doca_error_t (*)(struct doca_mmap *mmap, const struct doca_dev *dev,
					    const void **export_desc, size_t *export_desc_len));
SAME(doca_mmap_set_dmabuf_memrange,
     doca_error_t (*)(struct doca_mmap *mmap, int dmabuf_fd, size_t offset, size_t len));
#endif
#if IN(205, 999)
SAME(doca_mmap_create, doca_error_t (*)(struct doca_mmap **mmap));
SAME(doca_mmap_add_dev, doca_error_t (*)(struct doca_mmap *mmap, struct doca_dev *dev));
SAME(doca_mmap_rm_dev, doca_error_t (*)(struct doca_mmap *mmap, struct doca_dev *dev));
SAME(doca_mmap_export_pci, doca_error_t (*)(struct doca_mmap *mmap, const struct doca_dev *dev,
					    const void **export_desc, size_t *export_desc_len));
SAME(doca_mmap_set_dmabuf_memrange, doca_error_t (*)(struct doca_mmap *mmap, int dmabuf_fd,
						     void *addr, size_t dmabuf_offset, size_t len));
SAME(doca_mmap_get_user_data,
     doca_error_t (*)(const struct doca_mmap *mmap, union doca_data *user_data));
SAME(doca_mmap_get_max_num_devices,
     doca_error_t (*)(const struct doca_mmap *mmap, uint32_t *max_num_devices));
SAME(doca_mmap_get_num_bufs, doca_error_t (*)(const struct doca_mmap *mmap, uint32_t *num_bufs));
SAME(doca_mmap_get_exported, doca_error_t (*)(const struct doca_mmap *mmap, uint8_t *exported));
SAME(doca_mmap_get_from_export,
     doca_error_t (*)(const struct doca_mmap *mmap, uint8_t *from_export));
SAME(doca_mmap_set_user_data, doca_error_t (*)(struct doca_mmap *mmap, union doca_data user_data));
SAME(doca_mmap_cap_is_export_pci_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *mmap_export));
SAME(doca_mmap_cap_is_create_from_export_pci_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint8_t *from_export));
#endif
#if IN(207, 999)
SAME_TYPE(doca_dpa_dev_mmap_t, uint32_t);
SAME_TYPE(doca_mmap_memrange_free_cb_t *, void (*)(void *addr, size_t len, void *cookie));
SAME(doca_mmap_dev_get_dpa_handle,
     doca_error_t (*)(struct doca_mmap *mmap, const struct doca_dev *dev,
		      doca_dpa_dev_mmap_t *dpa_mmap_handle));
SAME(doca_mmap_set_dpa_memrange,
     doca_error_t (*)(struct doca_mmap *mmap, struct doca_dpa *dpa, uint64_t dpa_addr, size_t len));
SAME(doca_mmap_enable_thread_safety, doca_error_t (*)(struct doca_mmap *mmap));
SAME(doca_mmap_get_mkey,
     doca_error_t (*)(struct doca_mmap *mmap, struct doca_dev *dev, uint32_t *mkey));
#endif

/* doca_mmap_advise.h */
#if IN(207, 999)
SAME_TYPE(doca_mmap_advise_task_invalidate_cache_completion_cb_t,
	  void (*)(struct doca_mmap_advise_task_invalidate_cache *task,
		   union doca_data task_user_data, union doca_data ctx_user_data));
SAME(doca_mmap_advise_create,
     doca_error_t (*)(struct doca_dev *dev, struct doca_mmap_advise **mmap_advise));
SAME(doca_mmap_advise_destroy, doca_error_t (*)(struct doca_mmap_advise *mmap_advise));
SAME(doca_mmap_advise_as_ctx, struct doca_ctx *(*)(struct doca_mmap_advise *mmap_advise));
SAME(doca_mmap_advise_cap_task_cache_invalidate_is_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_mmap_advise_task_cache_invalidate_get_max_buf_size,
     doca_error_t (*)(const struct doca_devinfo *devinfo, uint64_t *buf_size));
SAME(doca_mmap_advise_task_invalidate_cache_set_conf,
     doca_error_t (*)(struct doca_mmap_advise *mmap_advise,
		      doca_mmap_advise_task_invalidate_cache_completion_cb_t completion_cb,
		      doca_mmap_advise_task_invalidate_cache_completion_cb_t error_cb,
		      uint32_t num_tasks));
SAME(doca_mmap_advise_task_invalidate_cache_alloc_init,
     doca_error_t (*)(struct doca_mmap_advise *mmap_advise, struct doca_buf *buf,
		      union doca_data user_data,
		      struct doca_mmap_advise_task_invalidate_cache **task));
SAME(doca_mmap_advise_task_invalidate_cache_as_doca_task,
     struct doca_task *(*)(struct doca_mmap_advise_task_invalidate_cache *task));
SAME(doca_mmap_advise_task_invalidate_cache_set_buf,
     void (*)(struct doca_mmap_advise_task_invalidate_cache *task, struct doca_buf *buf));
SAME(doca_mmap_advise_task_invalidate_cache_get_buf,
     struct doca_buf *(*)(const struct doca_mmap_advise_task_invalidate_cache *task));
#endif

/* doca_buf.h */
#if IN(103, 204)
IS(DOCA_BUF_EXTENSION_NONE, 0);
SAME(doca_buf_refcount_rm, doca_error_t (*)(struct doca_buf *buf, uint16_t *refcount));
#endif
#if IN(103, 104)
SAME(doca_buf_head_get, doca_error_t (*)(struct doca_buf *buf, uint8_t **head));
SAME(doca_buf_len_get, doca_error_t (*)(struct doca_buf *buf, size_t *len));
SAME(doca_buf_refcount_get, doca_error_t (*)(struct doca_buf *buf, uint16_t *refcount));
#endif
#if IN(105, 999)
SAME(doca_buf_set_data, doca_error_t (*)(struct doca_buf *buf, void *data, size_t data_len));
#endif
#if IN(105, 204)
SAME(doca_buf_refcount_add, doca_error_t (*)(struct doca_buf *buf, uint16_t *refcount));
SAME(doca_buf_get_refcount, doca_error_t (*)(struct doca_buf *buf, uint16_t *refcount));
SAME(doca_buf_list_next, doca_error_t (*)(struct doca_buf *buf, struct doca_buf **next_buf));
SAME(doca_buf_list_last, doca_error_t (*)(struct doca_buf *buf, struct doca_buf **last_buf));
SAME(doca_buf_list_is_last, doca_error_t (*)(const struct doca_buf *buf, bool *is_last));
SAME(doca_buf_list_is_first, doca_error_t (*)(const struct doca_buf *buf, bool *is_first));
SAME(doca_buf_list_num_elements,
     doca_error_t (*)(const struct doca_buf *buf, uint32_t *num_elements));
SAME(doca_buf_list_chain, doca_error_t (*)(struct doca_buf *list1, struct doca_buf *list2));
SAME(doca_buf_list_unchain, doca_error_t (*)(struct doca_buf *list1, struct doca_buf *list2));
#endif
#if IN(103, 199)
IS(DOCA_BUF_EXTENSION_LINKED_LIST, 1);
#endif
#if IN(105, 199)
SAME(doca_buf_get_len, doca_error_t (*)(struct doca_buf *buf, size_t *len));
SAME(doca_buf_get_lkey, doca_error_t (*)(const struct doca_buf *buf, struct doca_dev *dev,
					 uint32_t doca_access_flags, uint32_t *lkey));
SAME(doca_buf_get_head, doca_error_t (*)(struct doca_buf *buf, void **head));
SAME(doca_buf_get_data_len, doca_error_t (*)(struct doca_buf *buf, size_t *data_len));
SAME(doca_buf_get_data, doca_error_t (*)(struct doca_buf *buf, void **data));
#endif
#if IN(200, 999)
SAME(doca_buf_get_len, doca_error_t (*)(const struct doca_buf *buf, size_t *len));
SAME(doca_buf_get_head, doca_error_t (*)(const struct doca_buf *buf, void **head));
SAME(doca_buf_get_data_len, doca_error_t (*)(const struct doca_buf *buf, size_t *data_len));
SAME(doca_buf_get_data, doca_error_t (*)(const struct doca_buf *buf, void **data));
SAME(doca_buf_reset_data_len, doca_error_t (*)(struct doca_buf *buf));
SAME(doca_buf_is_in_list, doca_error_t (*)(const struct doca_buf *buf, uint8_t *is_in_list));
#endif
#if IN(205, 999)
SAME(doca_buf_inc_refcount, doca_error_t (*)(struct doca_buf *buf, uint16_t *refcount));
SAME(doca_buf_dec_refcount, doca_error_t (*)(struct doca_buf *buf, uint16_t *refcount));
SAME(doca_buf_get_refcount, doca_error_t (*)(const struct doca_buf *buf, uint16_t *refcount));
SAME(doca_buf_get_next_in_list, doca_error_t (*)(struct doca_buf *buf, struct doca_buf **next_buf));
SAME(doca_buf_get_last_in_list, doca_error_t (*)(struct doca_buf *buf, struct doca_buf **last_buf));
SAME(doca_buf_is_last_in_list, doca_error_t (*)(const struct doca_buf *buf, uint8_t *is_last));
SAME(doca_buf_is_first_in_list, doca_error_t (*)(const struct doca_buf *buf, uint8_t *is_first));
SAME(doca_buf_get_list_len, doca_error_t (*)(const struct doca_buf *buf, uint32_t *num_elements));
SAME(doca_buf_chain_list, doca_error_t (*)(struct doca_buf *list1, struct doca_buf *list2));
SAME(doca_buf_unchain_list, doca_error_t (*)(struct doca_buf *list1, struct doca_buf *list2));
#endif
#if IN(207, 999)
SAME(doca_buf_set_data_len, doca_error_t (*)(struct doca_buf *buf, size_t data_len));
SAME(doca_buf_chain_list_tail,
     doca_error_t (*)(struct doca_buf *list1_head, struct doca_buf *list1_tail,
		      struct doca_buf *list2));
#endif

/* doca_buf_inventory.h */
SAME(doca_buf_inventory_destroy, doca_error_t (*)(struct doca_buf_inventory *inventory));
SAME(doca_buf_inventory_start, doca_error_t (*)(struct doca_buf_inventory *inventory));
SAME(doca_buf_inventory_stop, doca_error_t (*)(struct doca_buf_inventory *inventory));
#if IN(103, 104) || IN(200, 999)
SAME(doca_buf_inventory_buf_dup,
     doca_error_t (*)(struct doca_buf_inventory *inventory, const struct doca_buf *src_buf,
		      struct doca_buf **dst_buf));
#endif
#if IN(103, 104)
SAME(doca_buf_inventory_create,
     doca_error_t (*)(const char *name, size_t num_elements, uint32_t extensions,
		      struct doca_buf_inventory **buf_inventory));
SAME(doca_buf_inventory_property_set, doca_error_t (*)(struct doca_buf_inventory *inventory,
						       enum doca_buf_inventory_property property,
						       const uint8_t *value, uint32_t size));
SAME(doca_buf_inventory_property_get, doca_error_t (*)(struct doca_buf_inventory *inventory,
						       enum doca_buf_inventory_property property,
						       const uint8_t *value, uint32_t size));
SAME(doca_buf_inventory_buf_by_addr,
     doca_error_t (*)(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, char *addr,
		      size_t len, struct doca_buf **buf));
#endif
#if IN(105, 204)
SAME(doca_buf_inventory_create,
     doca_error_t (*)(const union doca_data *user_data, size_t num_elements, uint32_t extensions,
		      struct doca_buf_inventory **buf_inventory));
SAME(doca_buf_inventory_buf_by_addr,
     doca_error_t (*)(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, void *addr,
		      size_t len, struct doca_buf **buf));
SAME(doca_buf_inventory_buf_by_args,
     doca_error_t (*)(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, void *addr,
		      size_t len, void *data, size_t data_len, struct doca_buf **buf));
SAME(doca_buf_inventory_buf_by_data,
     doca_error_t (*)(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, void *data,
		      size_t data_len, struct doca_buf **buf));
#endif
#if IN(105, 204)
SAME(doca_buf_inventory_get_num_elements,
     doca_error_t (*)(struct doca_buf_inventory *inventory, uint32_t *num_of_elements));
SAME(doca_buf_inventory_get_num_free_elements,
     doca_error_t (*)(struct doca_buf_inventory *inventory, uint32_t *num_of_free_elements));
SAME(doca_buf_inventory_get_user_data,
     doca_error_t (*)(struct doca_buf_inventory *inventory, union doca_data *user_data));
#endif
#if IN(205, 999)
SAME(doca_buf_inventory_create,
     doca_error_t (*)(size_t num_elements, struct doca_buf_inventory **inventory));
SAME(doca_buf_inventory_buf_get_by_args,
     doca_error_t (*)(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, void *addr,
		      size_t len, void *data, size_t data_len, struct doca_buf **buf));
SAME(doca_buf_inventory_buf_get_by_addr,
     doca_error_t (*)(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, void *addr,
		      size_t len, struct doca_buf **buf));
SAME(doca_buf_inventory_buf_get_by_data,
     doca_error_t (*)(struct doca_buf_inventory *inventory, struct doca_mmap *mmap, void *data,
		      size_t data_len, struct doca_buf **buf));
SAME(doca_buf_inventory_set_user_data,
     doca_error_t (*)(struct doca_buf_inventory *inventory, union doca_data user_data));
SAME(doca_buf_inventory_get_num_elements,
     doca_error_t (*)(const struct doca_buf_inventory *inventory, uint32_t *num_of_elements));
SAME(doca_buf_inventory_get_num_free_elements,
     doca_error_t (*)(const struct doca_buf_inventory *inventory, uint32_t *num_of_free_elements));
SAME(doca_buf_inventory_get_user_data,
     doca_error_t (*)(const struct doca_buf_inventory *inventory, union doca_data *user_data));
#endif
#if IN(207, 999)
SAME(doca_buf_inventory_expand,
     doca_error_t (*)(struct doca_buf_inventory *inventory, uint32_t num_elements));
SAME(doca_buf_inventory_buf_reuse_by_addr,
     doca_error_t (*)(struct doca_buf *buf, void *addr, size_t len));
SAME(doca_buf_inventory_buf_reuse_by_data,
     doca_error_t (*)(struct doca_buf *buf, void *data, size_t data_len));
#endif

/* doca_buf_pool.h */
#if IN(205, 999)
SAME(doca_buf_pool_create,
     doca_error_t (*)(size_t num_elements, size_t element_size, const struct doca_mmap *mmap,
		      struct doca_buf_pool **buf_pool));
SAME(doca_buf_pool_destroy, doca_error_t (*)(struct doca_buf_pool *buf_pool));
SAME(doca_buf_pool_start, doca_error_t (*)(struct doca_buf_pool *buf_pool));
SAME(doca_buf_pool_stop, doca_error_t (*)(struct doca_buf_pool *buf_pool));
SAME(doca_buf_pool_buf_alloc,
     doca_error_t (*)(struct doca_buf_pool *buf_pool, struct doca_buf **buf));
SAME(doca_buf_pool_set_user_data,
     doca_error_t (*)(struct doca_buf_pool *buf_pool, union doca_data user_data));
SAME(doca_buf_pool_set_element_alignment,
     doca_error_t (*)(struct doca_buf_pool *buf_pool, size_t element_alignment));
SAME(doca_buf_pool_get_num_elements,
     doca_error_t (*)(const struct doca_buf_pool *buf_pool, uint32_t *num_of_elements));
SAME(doca_buf_pool_get_num_free_elements,
     doca_error_t (*)(const struct doca_buf_pool *buf_pool, uint32_t *num_of_free_elements));
SAME(doca_buf_pool_get_user_data,
     doca_error_t (*)(const struct doca_buf_pool *buf_pool, union doca_data *user_data));
SAME(doca_buf_pool_get_element_alignment,
     doca_error_t (*)(const struct doca_buf_pool *buf_pool, size_t *element_alignment));
#endif

/* doca_bitfield.h */
#if IN(207, 999)
IS(DOCA_SHIFT(8), 3);
IS(DOCA_BETOH16(DOCA_HTOBE16(0x1234)), 0x1234);
IS(DOCA_BETOH32(DOCA_HTOBE32(0x12345678)), 0x12345678);
IS(DOCA_U8_GENMASK(6, 4), 0x70);
IS(DOCA_U8_SET(0x70, 5), 0x50);
IS(DOCA_U8_GET(0x70, 0xdf), 5);
IS(DOCA_BE16_GENMASK(6, 4), DOCA_HTOBE16(0x70));
IS(DOCA_BE16_SET(DOCA_BE16_GENMASK(14, 12), 5), DOCA_HTOBE16(0x5000));
IS(DOCA_BE16_GET(DOCA_BE16_GENMASK(14, 12), DOCA_HTOBE16(0xdfff)), 5);
IS(DOCA_BE32_GENMASK(30, 28), DOCA_HTOBE32(0x70000000));
IS(DOCA_BE32_SET(DOCA_BE32_GENMASK(30, 28), 5), DOCA_HTOBE32(0x50000000));
IS(DOCA_BE32_GET(DOCA_BE32_GENMASK(30, 28), DOCA_HTOBE32(0xdfffffff)), 5);
#endif

/* doca_clock.h */
#if IN(302, 999)
IS(DOCA_CLOCK_NIC_FREE_RUNNING, 0x1);
IS(DOCA_CLOCK_NIC_REAL_TIME, 0x2);
IS(DOCA_CLOCK_NIC_DPA_TIMER, 0x100);
IS(DOCA_CLOCK_HOST_COUNTER_CYCLES, 0x10000);
IS(DOCA_CLOCK_HOST_REAL_TIME, 0x20000);
IS(DOCA_CLOCK_HOST_MONOTONIC, 0x40000);
IS(DOCA_CLOCK_HOST_MONOTONIC_RAW, 0x80000);
FIELD(union doca_clock_timespec_t, ts, struct timespec);
FIELD(union doca_clock_timespec_t, counter, uint64_t);
SAME(doca_clock_cap_nic_free_running_is_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_clock_cap_nic_real_time_is_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_clock_cap_nic_dpa_timer_is_supported,
     doca_error_t (*)(const struct doca_devinfo *devinfo));
SAME(doca_clock_create, doca_error_t (*)(const struct doca_dev *dev, struct doca_clock **clock));
SAME(doca_clock_destroy, doca_error_t (*)(struct doca_clock *clock));
SAME(doca_clock_get_timestamp, doca_error_t (*)(const struct doca_clock *clock, uint64_t clock_type,
						union doca_clock_timespec_t *clock_ts));
SAME(doca_clock_get_crosstimestamp,
     doca_error_t (*)(const struct doca_clock *clock, uint64_t primary_clock_type,
		      uint64_t nic_clock_type, union doca_clock_timespec_t *primary_clock_ts,
		      union doca_clock_timespec_t *nic_clock_ts, uint64_t *error_margin_nsecs));
#endif

/* doca_bufpool.h */
#if IN(200, 204)
SAME(doca_bufpool_create,
     doca_error_t (*)(const union doca_data *user_data, size_t num_elements, uint32_t extensions,
		      size_t element_size, size_t element_alignment, const struct doca_mmap *mmap,
		      struct doca_bufpool **bufpool));
SAME(doca_bufpool_destroy, doca_error_t (*)(struct doca_bufpool *bufpool));
SAME(doca_bufpool_start, doca_error_t (*)(struct doca_bufpool *bufpool));
SAME(doca_bufpool_stop, doca_error_t (*)(struct doca_bufpool *bufpool));
SAME(doca_bufpool_buf_alloc, doca_error_t (*)(struct doca_bufpool *bufpool, struct doca_buf **buf));
SAME(doca_bufpool_get_num_elements,
     doca_error_t (*)(const struct doca_bufpool *bufpool, uint32_t *num_of_elements));
SAME(doca_bufpool_get_num_free_elements,
     doca_error_t (*)(const struct doca_bufpool *bufpool, uint32_t *num_of_free_elements));
SAME(doca_bufpool_get_user_data,
     doca_error_t (*)(const struct doca_bufpool *bufpool, union doca_data *user_data));
#endif

/* doca_buf_array.h */
#if IN(200, 999)
SAME(doca_buf_arr_set_target_gpu,
     doca_error_t (*)(struct doca_buf_arr *buf_arr, struct doca_gpu *gpu_handler));
SAME(doca_buf_arr_start, doca_error_t (*)(struct doca_buf_arr *buf_arr));
SAME(doca_buf_arr_stop, doca_error_t (*)(struct doca_buf_arr *buf_arr));
SAME(doca_buf_arr_destroy, doca_error_t (*)(struct doca_buf_arr *buf_arr));
SAME(doca_buf_arr_get_gpu_handle,
     doca_error_t (*)(const struct doca_buf_arr *buf_arr, struct doca_gpu_buf_arr **gpu_buf_arr));
#endif
#if IN(200, 206)
SAME(doca_buf_arr_create, doca_error_t (*)(struct doca_mmap *mmap, struct doca_buf_arr **buf_arr));
SAME(doca_buf_arr_set_params, doca_error_t (*)(struct doca_buf_arr *buf_arr, size_t size,
					       uint32_t num_elem, uint32_t start_offset));
#endif
#if IN(205, 999)
SAME(doca_buf_arr_set_target_dpa,
     doca_error_t (*)(struct doca_buf_arr *buf_arr, struct doca_dpa *dpa_handler));
#endif
#if IN(205, 206)
SAME(doca_buf_arr_get_dpa_handle, doca_error_t (*)(const struct doca_buf_arr *buf_arr,
						   struct doca_dpa_dev_buf_arr **dpa_buf_arr));
#endif
#if IN(207, 999)
SAME_TYPE(doca_dpa_dev_buf_arr_t, uint64_t);
SAME(doca_buf_arr_create, doca_error_t (*)(size_t num_elem, struct doca_buf_arr **buf_arr));
SAME(doca_buf_arr_set_params, doca_error_t (*)(struct doca_buf_arr *buf_arr, struct doca_mmap *mmap,
					       size_t elem_size, uint64_t start_offset));
SAME(doca_buf_arr_get_dpa_handle,
     doca_error_t (*)(const struct doca_buf_arr *buf_arr, doca_dpa_dev_buf_arr_t *dpa_buf_arr));
#endif
