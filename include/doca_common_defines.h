/*
 * What every header of the interface brings along: byte order macros of <endian.h>, and the
 * export marks and version macros of doca_compat.h. A program rarely includes it by itself.
 */
#ifndef DOCA_COMMON_DEFINES_H_
#define DOCA_COMMON_DEFINES_H_

#include <endian.h>

#include <doca_compat.h>

#endif
