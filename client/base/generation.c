/* Generations of the public interface: the refusal of objects of another generation. */
#include "client/base/generation.h"

#include "client/base/error.h"

doca_error_t api_refuse(const char *call, const char *what, uint16_t made_for)
{
	if (made_for == API_TASK)
		return error_set(DOCA_ERROR_BAD_STATE,
				 "%s: the %s was created by a call of DOCA 2.5 or later; use calls "
				 "of that generation, or create it with a call of this one",
				 call, what);
	return error_set(DOCA_ERROR_BAD_STATE,
			 "%s: the %s was created by a call of DOCA %u.%u; use calls of that "
			 "generation, or create it with a call of this one",
			 call, what, made_for / 100u, made_for % 100u);
}
