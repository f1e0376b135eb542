/*
 * All public headers of the version for which a file is compiled, for files that check the
 * interface row by row (tests/abi/interface_core.h and its siblings).
 */
#ifndef TESTS_ABI_INTERFACE_ALL_H
#define TESTS_ABI_INTERFACE_ALL_H

#include <stddef.h>
#include <stdint.h>

#include <doca_types.h>
#include <doca_error.h>
#include <doca_version.h>
#include <doca_compat.h>
#include <doca_config.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dma.h>
#include <doca_log.h>
#include <doca_argp.h>
#include <dococ.h>

/* True if the selected version is one of these; 999 stands for all later ones. */
#define IN(first, last) (DOCA_USE_VERSION >= (first) && DOCA_USE_VERSION <= (last))

#if IN(200, 999)
#include <doca_buf_array.h>
#include <doca_graph.h>
#include <doca_rdma.h>
#include <doca_rdma_bridge.h>
#include <doca_sha.h>
#include <doca_sync_event.h>
#endif
#if IN(200, 204)
#include <doca_bufpool.h>
#endif
#if IN(202, 999)
#include <doca_erasure_coding.h>
#endif
#if IN(205, 999)
#include <doca_aes_gcm.h>
#include <doca_buf_pool.h>
#include <doca_pe.h>
#endif
#if IN(103, 104) || IN(200, 208)
#include <doca_comm_channel.h>
#endif
#if IN(205, 206)
#include <doca_cc.h>
#include <doca_cc_consumer.h>
#include <doca_cc_producer.h>
#endif
#if IN(207, 999)
#include <doca_bitfield.h>
#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_mmap_advise.h>
#endif
#if IN(202, 999)
#include <doca_compress.h>
#endif
#if IN(302, 999)
#include <doca_clock.h>
#endif

#endif
