// Names, addresses and sockets, with sentences for what can go wrong.
#pragma once

#include <sys/socket.h>

#include <vector>

#include "core/net/descriptor.h"
#include "leat/sdk/network.h"
#include "leat/sdk/result.h"

namespace leat::net {

struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t size = sizeof(sockaddr_storage);

    sockaddr* data() { return reinterpret_cast<sockaddr*>(&storage); }
    const sockaddr* data() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

std::string text_of(const sdk::Endpoint& endpoint);  // "[::1]:9092"
sdk::Endpoint endpoint_of(const SocketAddress& address);

// [worker, or before the shards run] Asks the system's resolver, which may wait. In a static
// program, numbers and "localhost" alone: other names are Errc::not_found.
sdk::Result<std::vector<SocketAddress>> resolve(const sdk::Endpoint& endpoint, bool to_listen);

// Empty with errno where the socket is gone already.
sdk::Endpoint local_endpoint(int socket);

// Bound, listening, not blocking; accepted sockets inherit its options. `send_buffer` is what the
// kernel keeps for a peer, in bytes; 0 lets the kernel decide.
sdk::Result<Descriptor> listening_socket(const sdk::Endpoint& endpoint, std::size_t send_buffer);

// Connecting, not blocking.
sdk::Result<Descriptor> dialling_socket(const SocketAddress& address, const sdk::Endpoint& to);

}  // namespace leat::net
