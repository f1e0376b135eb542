/* The libraries of the SDK that this runtime does not have. Constant data; any thread. */
#ifndef TOOLS_DOCA_ADMIN_WHICH_API_ABSENT_LIBRARY_H
#define TOOLS_DOCA_ADMIN_WHICH_API_ABSENT_LIBRARY_H

struct absent_library {
	const char *prefix;  /* of the names of its headers, without the suffix */
	const char *what;    /* what it is, as a phrase */
	const char *instead; /* what to use without a card, as a phrase; NULL: there is nothing */
};

/* Returns the library that a header such as "doca_flow_net.h" belongs to, or NULL. */
const struct absent_library *absent_library_find(const char *header);

#endif
