#include "core/broker/extent_age.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/runtime/load_slices.h"
#include "core/wire/record_batch.h"

namespace leat::broker {
namespace {

// At most so many bytes of it.
sdk::Slice head_of(sdk::Slice slice, std::size_t bytes) {
    if (auto* memory = std::get_if<sdk::MemorySlice>(&slice)) {
        memory->bytes = memory->bytes.first(std::min(bytes, memory->bytes.size()));
    } else {
        auto& file = std::get<sdk::FileSlice>(slice);
        file.size = std::min(bytes, file.size);
    }
    return slice;
}

}  // namespace

sdk::Result<log::ExtentAge> age_of(const std::optional<sdk::Extent>& active, sdk::Log& log,
                                   sdk::Timestamp opened) {
    log::ExtentAge age{.begun = opened};
    if (!active) return age;
    const sdk::Offset first = std::max(active->base, log.bounds().begin);
    for (;;) {
        auto answer = log.read(first, active->next, wire::batch_header_bytes);
        if (!answer) return answer.error();
        if (answer->bring_in) {
            answer->bring_in();
            continue;
        }
        if (answer->slices.empty()) return age;
        const sdk::Slice header = head_of(std::move(answer->slices[0]), wire::batch_header_bytes);
        std::vector<std::byte> bytes;
        if (const auto status = runtime::load({&header, 1}, bytes); !status) return status.error();
        if (bytes.size() == wire::batch_header_bytes) {
            age.first_batch = wire::BatchView{bytes}.max_timestamp();
        }
        return age;
    }
}

}  // namespace leat::broker
