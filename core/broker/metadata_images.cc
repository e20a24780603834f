#include "core/broker/metadata_images.h"

#include <utility>

#include "leat/sdk/ensure.h"

namespace leat::broker {

MetadataImages::MetadataImages(runtime::Shards& shards)
    : shards_{shards}, views_(shards.count()) {}

void MetadataImages::listen(std::size_t shard, MetadataListener& listener) {
    sdk::ensure(views_[shard].listener == nullptr, "a shard's image has one listener");
    views_[shard].listener = &listener;
}

void MetadataImages::publish(cluster::ImageDelta delta) {
    if (delta.empty()) return;
    // Shared, because all shards read it and the last one to do so frees it.
    const auto shared = std::make_shared<const cluster::ImageDelta>(std::move(delta));
    for (std::size_t i = 0; i < views_.size(); ++i) {
        shards_.at(i).post([self = shared_from_this(), i, shared] {
            auto& view = self->views_[i];
            view.image.apply(*shared, view.listener);
        });
    }
}

void MetadataImages::set_standing(Standing standing) {
    if (std::exchange(standing_, standing) == standing) return;
    for (std::size_t i = 0; i < views_.size(); ++i) {
        shards_.at(i).post([self = shared_from_this(), i, standing] {
            auto& view = self->views_[i];
            view.standing = standing;
            if (view.listener != nullptr) view.listener->standing_changed(standing);
        });
    }
}

void MetadataImages::when_applied(sdk::Task task) {
    struct Barrier {
        std::size_t missing;
        sdk::Task task;
    };
    // Touched on shard 0 only; the others carry it there and back.
    auto barrier = std::make_shared<Barrier>(Barrier{views_.size(), std::move(task)});
    auto& home = shards_.at(0);
    for (std::size_t i = 0; i < views_.size(); ++i) {
        shards_.at(i).post([barrier, &home] {
            home.post([barrier] {
                if (--barrier->missing == 0) barrier->task();
            });
        });
    }
}

}  // namespace leat::broker
