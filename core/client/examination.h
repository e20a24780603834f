// What a broker can do, found out by doing it: what `leat doctor` prints. Whatever is written goes
// to a topic that was made for it. Each check has connections of its own, so that none disturbs
// another. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/client/cluster.h"
#include "leat/sdk/function.h"

namespace leat::client {

enum class Verdict {
    works,    // As Apache Kafka does it.
    differs,  // The broker goes on, but says or does something else.
    fails,
    absent,  // The broker does not offer it.
};
std::string_view name_of(Verdict verdict);

struct Finding {
    std::string area;  // "codecs"
    std::string what;  // "zstd"
    bool essential;    // A plain producer or consumer cannot do without.
    Verdict verdict;
    std::string detail;  // What was found, or why not. Empty: nothing to say.
};

struct ServedApi {
    std::int16_t key;
    std::string name;
    std::int16_t oldest;
    std::int16_t newest;
};

struct Examination {
    std::string cluster_id;
    std::size_t brokers = 0;
    std::vector<ServedApi> apis;  // By key.
    std::vector<Finding> findings;

    bool essential_works() const;  // No essential finding fails, differs or is absent.
};

// `topic` is the name of one that is not there: it is made, filled with a few records and left for
// the caller to delete, also after an error. Errors are only those that leave nothing to report: no
// broker, no metadata, no topic to work with, Errc::closed. `on_area` is told what comes next.
sdk::Result<Examination> examine(Cluster& cluster, const std::string& topic,
                                 sdk::Function<void(std::string_view)> on_area);

}  // namespace leat::client
