/* Circular doubly linked intrusive list. A node that is in no list points at itself. */
#ifndef UTIL_LIST_H
#define UTIL_LIST_H

#include <stdbool.h>

#include "util/util.h"

struct list {
	struct list *prev, *next;
};

#define LIST_INIT(l)       \
	{                  \
		&(l), &(l) \
	}

static inline void list_init(struct list *l)
{
	l->prev = l->next = l;
}

static inline bool list_is_empty(const struct list *l)
{
	return l->next == l;
}

static inline void list_insert_before(struct list *where, struct list *node)
{
	node->prev = where->prev;
	node->next = where;
	where->prev->next = node;
	where->prev = node;
}

static inline void list_append(struct list *head, struct list *node)
{
	list_insert_before(head, node);
}

/* Leaves the node pointing at itself, so that a second removal is harmless. */
static inline void list_remove(struct list *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
	list_init(node);
}

#define list_entry(node, type, member) container_of(node, type, member)

#define list_for_each(pos, head, member)                                                       \
	for (pos = list_entry((head)->next, __typeof__(*pos), member); &pos->member != (head); \
	     pos = list_entry(pos->member.next, __typeof__(*pos), member))

/* The loop body may remove or free the entry at pos. */
#define list_for_each_safe(pos, tmp, head, member)                        \
	for (pos = list_entry((head)->next, __typeof__(*pos), member),    \
	    tmp = list_entry(pos->member.next, __typeof__(*pos), member); \
	     &pos->member != (head);                                      \
	     pos = tmp, tmp = list_entry(tmp->member.next, __typeof__(*tmp), member))

#endif
