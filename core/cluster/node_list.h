// A short list of node ids in 16 bytes: up to three ids lie inside, more on the heap. A cluster has
// tens of thousands of such lists (replicas, in-sync set), nearly all of them that short, and each
// std::vector would cost 24 bytes and an allocation.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "leat/sdk/strong.h"

namespace leat::cluster {

class NodeList {
public:
    NodeList() = default;
    explicit NodeList(std::span<const sdk::NodeId> nodes) { assign(nodes); }
    NodeList(const NodeList& other) { assign(other.view()); }
    NodeList& operator=(const NodeList& other) {
        if (this != &other) {
            NodeList copy{other};
            swap(copy);
        }
        return *this;
    }
    NodeList(NodeList&& other) noexcept { swap(other); }
    NodeList& operator=(NodeList&& other) noexcept {
        swap(other);
        return *this;
    }
    ~NodeList() {
        if (size_ > within) delete[] heap();
    }

    std::span<const sdk::NodeId> view() const {
        return {size_ > within ? heap() : inside_.data(), size_};
    }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::vector<sdk::NodeId> copy() const { return {view().begin(), view().end()}; }
    bool contains(sdk::NodeId node) const {
        for (const auto each : view()) {
            if (each == node) return true;
        }
        return false;
    }

private:
    static constexpr std::size_t within = 3;

    void assign(std::span<const sdk::NodeId> nodes) {
        sdk::NodeId* to = inside_.data();
        if (nodes.size() > within) {
            to = new sdk::NodeId[nodes.size()];
            std::memcpy(static_cast<void*>(inside_.data()), &to, sizeof to);
        }
        size_ = static_cast<std::uint32_t>(nodes.size());
        for (std::size_t i = 0; i < nodes.size(); ++i) to[i] = nodes[i];
    }
    sdk::NodeId* heap() const {
        sdk::NodeId* at = nullptr;
        std::memcpy(&at, static_cast<const void*>(inside_.data()), sizeof at);
        return at;
    }
    void swap(NodeList& other) noexcept {
        std::swap(inside_, other.inside_);
        std::swap(size_, other.size_);
    }

    std::array<sdk::NodeId, within> inside_{};  // Or, in its first bytes, where the ids are.
    std::uint32_t size_ = 0;
};

}  // namespace leat::cluster
