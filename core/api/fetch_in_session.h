// Fetches of incremental fetch sessions (KIP-227). A session lives on the shard that its id says,
// which is that of the connection it was begun on; a fetch that comes by a connection of another
// shard is run there, and answered here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/api/services.h"
#include "core/api/session.h"
#include "core/wire/messages/fetch.h"

namespace leat::api {

// [the connection's shard] All of these.
void fetch_in_full(Services& services, Request request, wire::FetchRequest asked, Reply reply);
void fetch_in_session(Services& services, Request request, wire::FetchRequest asked, Reply reply);

// If there is such a session.
void end_fetch_session(Services& services, std::size_t shard, std::int32_t id);

}  // namespace leat::api
