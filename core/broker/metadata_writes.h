// Carries stages of transactions through the coordination store: the driver of StagedWrite.
//
// Threads    Shard 0.
#pragma once

#include <memory>
#include <string>

#include "core/broker/metadata_store.h"
#include "core/cluster/staged_write.h"
#include "core/wire/error_code.h"
#include "leat/sdk/function.h"

namespace leat::broker {

class MetadataWrites : public std::enable_shared_from_this<MetadataWrites> {
public:
    using End = cluster::StagedWrite::End;

    explicit MetadataWrites(MetadataStore& store) : store_{store} {}

    // `done` hears how it ended and, unless all went well, why.
    void run(cluster::Stages stages, sdk::Function<void(End, const std::string&)> done);

private:
    struct Work {
        cluster::StagedWrite write;
        sdk::Function<void(End, const std::string& why)> done;
    };

    void follow(const std::shared_ptr<Work>& work, cluster::StagedWrite::Orders orders);

    MetadataStore& store_;
};

// What a client hears of an end that is not `done`: an error, and the sentence beside it.
wire::ErrorCode error_of(MetadataWrites::End end);
std::string sentence_of(MetadataWrites::End end, const std::string& why);
inline constexpr const char* not_controller_sentence =
    "This broker is not the controller at the moment.";

}  // namespace leat::broker
