// Which topic a name meant when: a name that is deleted and made again begins another life, with
// another id, and nothing of the one may show up in the other.
//
//   born(name, id)     a client was told that it is there: every shard knows it
//   condemned(name)    a client asked for its deletion; whatever is under way may still reach it
//   died(name)         a client was told that it is gone
//
// What was asked and answered within one life, while it was `live`, belongs to that life.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "core/broker/flush_schedule.h"
#include "leat/sdk/uuid.h"

namespace leat::simulation {

using TopicPartition = std::pair<std::string, std::int32_t>;
// The same of one life: the topic's name with the number of the life, "brief#3".
using Place = std::pair<std::string, std::int32_t>;

struct TopicRules {
    broker::FlushPromise promise;
    bool log_append_time = false;
    bool any_timestamp = true;  // message.timestamp.after.max.ms is out of reach.
};

struct Life {
    enum class Stage { live, condemned, dead };

    std::string label;
    std::string name;
    sdk::Uuid id;
    TopicRules rules;
    Stage stage = Stage::live;

    bool live() const { return stage == Stage::live; }
};

// Lives stay where they are, so that a pointer says which one was meant.
class TopicLives {
public:
    void add(const std::string& name, TopicRules rules) { names_[name].rules = rules; }

    // Null if the id was another life's: then it is no life of its own.
    const Life* born(const std::string& name, const sdk::Uuid& id);
    void condemned(const std::string& name);
    void died(const std::string& name);

    const Life* living(const std::string& name) const;  // Null unless live.
    const Life* latest(const std::string& name) const;  // Null before the first.
    const Life* by_id(const sdk::Uuid& id) const;
    const std::deque<Life>& all() const { return lives_; }

private:
    struct Name {
        TopicRules rules;
        int lives = 0;
        Life* latest = nullptr;
    };

    std::map<std::string, Name> names_;
    std::deque<Life> lives_;
};

}  // namespace leat::simulation
