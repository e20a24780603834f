#include "core/broker/metadata.h"

#include <utility>

#include "core/broker/metadata_images.h"
#include "core/broker/metadata_producer_ids.h"
#include "core/broker/metadata_store.h"
#include "core/broker/metadata_topic_changes.h"
#include "core/broker/metadata_topics.h"
#include "leat/sdk/ensure.h"

namespace leat::broker {

class Metadata::Driver : public std::enable_shared_from_this<Metadata::Driver> {
public:
    Driver(sdk::CoordinationBackend& backend, runtime::Shards& shards, MetadataOptions chosen)
        : options{std::move(chosen)},
          home{shards.at(0)},
          images{std::make_shared<MetadataImages>(shards)},
          store{std::make_shared<MetadataStore>(backend, home, *images, options)},
          writes{std::make_shared<MetadataWrites>(*store)},
          turns{std::make_shared<TopicTurns>(home)},
          topics{std::make_shared<MetadataTopics>(*store, *images, writes, turns, home, options)},
          changes{std::make_shared<MetadataTopicChanges>(*store, *images, writes, turns, home,
                                                         options)},
          producer_ids{std::make_shared<MetadataProducerIds>(*store, options)} {}

    // From any shard to shard 0; `work` gets this driver, which it keeps alive.
    template <class Work>
    void at_home(Work work) {
        home.post([self = shared_from_this(), work = std::move(work)]() mutable { work(*self); });
    }

    const MetadataOptions options;
    sdk::Shard& home;
    const std::shared_ptr<MetadataImages> images;
    const std::shared_ptr<MetadataStore> store;
    const std::shared_ptr<MetadataWrites> writes;
    const std::shared_ptr<TopicTurns> turns;
    const std::shared_ptr<MetadataTopics> topics;
    const std::shared_ptr<MetadataTopicChanges> changes;
    const std::shared_ptr<MetadataProducerIds> producer_ids;
};

namespace {

// `done`, to be called on shard 0 and to run on the shard that asked.
template <class Answer>
sdk::Function<void(Answer)> answering_on(sdk::Shard& shard, sdk::Function<void(Answer)> done) {
    return [&shard, done = std::move(done)](Answer answer) mutable {
        shard.post([done = std::move(done), answer = std::move(answer)]() mutable {
            done(std::move(answer));
        });
    };
}

}  // namespace

Metadata::Metadata(sdk::CoordinationBackend& backend, runtime::Shards& shards,
                   MetadataOptions options)
    : driver_{std::make_shared<Driver>(backend, shards, std::move(options))} {}

Metadata::~Metadata() = default;

void Metadata::listen(std::size_t shard, MetadataListener& listener) {
    driver_->images->listen(shard, listener);
}

void Metadata::start(sdk::Function<void(sdk::Status)> ready) {
    driver_->store->start(
        {.ready = std::move(ready), .adopted = [topics = std::weak_ptr{driver_->topics}] {
             if (const auto alive = topics.lock()) alive->clean_up();
         }});
}

void Metadata::stop(sdk::Task done) {
    driver_->topics->stop();
    driver_->changes->stop();
    driver_->producer_ids->stop();
    driver_->store->stop();
    driver_->images->when_applied(std::move(done));
}

const cluster::Image& Metadata::image(std::size_t shard) const {
    return driver_->images->at(shard);
}
sdk::NodeId Metadata::self() const { return driver_->options.self; }
Standing Metadata::standing(std::size_t shard) const { return driver_->images->standing(shard); }
bool Metadata::auto_create_allowed() const { return driver_->options.auto_create; }

void Metadata::create_topics(cluster::CreateTopics request, sdk::Shard& answer_on,
                             sdk::Function<void(std::vector<cluster::CreatedTopic>)> done) {
    driver_->at_home([request = std::move(request),
                      done = answering_on(answer_on, std::move(done))](Driver& driver) mutable {
        driver.topics->create(std::move(request), std::move(done));
    });
}

void Metadata::delete_topics(std::vector<cluster::TopicToDelete> topics, std::int32_t timeout_ms,
                             sdk::Shard& answer_on,
                             sdk::Function<void(std::vector<cluster::DeletedTopic>)> done) {
    driver_->at_home([topics = std::move(topics), timeout_ms,
                      done = answering_on(answer_on, std::move(done))](Driver& driver) mutable {
        driver.topics->remove(std::move(topics), timeout_ms, std::move(done));
    });
}

void Metadata::create_partitions(cluster::CreatePartitions request, sdk::Shard& answer_on,
                                 sdk::Function<void(std::vector<cluster::ChangedTopic>)> done) {
    driver_->at_home([request = std::move(request),
                      done = answering_on(answer_on, std::move(done))](Driver& driver) mutable {
        driver.changes->grow(std::move(request), std::move(done));
    });
}

void Metadata::alter_configs(cluster::AlterConfigs request, sdk::Shard& answer_on,
                             sdk::Function<void(std::vector<cluster::ChangedTopic>)> done) {
    driver_->at_home([request = std::move(request),
                      done = answering_on(answer_on, std::move(done))](Driver& driver) mutable {
        driver.changes->configure(std::move(request), std::move(done));
    });
}

void Metadata::auto_create(std::string topic, sdk::Shard& answer_on,
                           sdk::Function<void(cluster::CreatedTopic)> done) {
    driver_->at_home([topic = std::move(topic),
                      done = answering_on(answer_on, std::move(done))](Driver& driver) mutable {
        driver.topics->auto_create(topic, std::move(done));
    });
}

void Metadata::allocate_producer_id(sdk::Shard& answer_on,
                                    sdk::Function<void(ProducerId)> done) {
    driver_->at_home([done = answering_on(answer_on, std::move(done))](Driver& driver) mutable {
        driver.producer_ids->allocate(std::move(done));
    });
}

void Metadata::found_producer_id(std::int64_t highest) {
    driver_->at_home([highest](Driver& driver) { driver.producer_ids->found(highest); });
}

}  // namespace leat::broker
