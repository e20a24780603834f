// An engine with one planted fault, around one that has none: what the conformance kit must notice.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "leat/sdk/storage.h"

namespace leat::storage_test {

struct Fault {
    std::string name;
    std::string breaks;    // The test that notices.
    bool durable = false;  // Planted into the segment engine, else into memory.
};
const std::vector<Fault>& faults();

// Lives as long as what it wraps.
std::unique_ptr<sdk::StorageEngine> broken(std::unique_ptr<sdk::StorageEngine> inner,
                                           std::string fault);

}  // namespace leat::storage_test
