#include "tests/simulation/lives.h"

#include <algorithm>

#include "leat/sdk/ensure.h"

namespace leat::simulation {

const Life* TopicLives::born(const std::string& name, const sdk::Uuid& id) {
    Name& known = names_.at(name);
    sdk::ensure(known.latest == nullptr || known.latest->stage == Life::Stage::dead,
                "a name has one life at a time");
    if (by_id(id) != nullptr) return nullptr;
    lives_.push_back({.label = name + "#" + std::to_string(++known.lives),
                      .name = name,
                      .id = id,
                      .rules = known.rules});
    return known.latest = &lives_.back();
}

void TopicLives::condemned(const std::string& name) {
    names_.at(name).latest->stage = Life::Stage::condemned;
}

void TopicLives::died(const std::string& name) {
    names_.at(name).latest->stage = Life::Stage::dead;
}

const Life* TopicLives::latest(const std::string& name) const {
    const auto found = names_.find(name);
    return found == names_.end() ? nullptr : found->second.latest;
}

const Life* TopicLives::living(const std::string& name) const {
    const Life* life = latest(name);
    return life != nullptr && life->live() ? life : nullptr;
}

const Life* TopicLives::by_id(const sdk::Uuid& id) const {
    const auto found = std::ranges::find(lives_, id, &Life::id);
    return found == lives_.end() ? nullptr : &*found;
}

}  // namespace leat::simulation
