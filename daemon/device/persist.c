/* Records of handles, and what their session does with them; see daemon/session/object.h. */
#include "daemon/base/daemon.h"
#include "daemon/store/persist.h"
#include "daemon/device/device.h"
#include "daemon/session/persist.h"
#include "daemon/session/session.h"
#include "daemon/store/record.h"

void persist_handle(struct handle *handle)
{
	struct session *session = handle->session;
	Registry__Handle record = REGISTRY__HANDLE__INIT;

	if (!persist_is_active(session))
		return;
	record.session = session->id;
	record.handle = handle->node.id;
	if (handle->device)
		record.device = (char *)handle->device->spec->name;
	if (handle->rep) {
		record.rep = (char *)handle->rep->spec->name;
		record.parent = (char *)handle->rep->parent->spec->name;
	}
	record.request_id = handle->request_id;
	record.has_slot = handle->has_slot;
	record.slot = handle->slot;
	record.generation = handle->generation;
	persist_ids(session->daemon);
	persist_check(session, persist_put(session->daemon, &handle->persisted,
					   REGISTRY__RECORD_TYPE__HANDLE,
					   ++session->daemon->next_record_id, &record.base));
}

void handle_object_save(struct session_object *object)
{
	struct handle *handle = container_of(object, struct handle, in_session);

	persist_handle(handle);
}

void handle_object_forget(struct session_object *object)
{
	struct handle *handle = container_of(object, struct handle, in_session);

	persist_drop(handle->session->daemon, &handle->persisted);
}
