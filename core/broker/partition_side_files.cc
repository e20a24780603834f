// What a partition writes beside its log: the leader epochs, and at a seal the producers too.

#include "core/broker/partition.h"
#include "core/broker/plugin_call.h"
#include "core/broker/side_files.h"
#include "core/runtime/offload.h"

namespace leat::broker {

bool Partition::epochs_are_stored() const {
    return !stored_epochs_ || log_.epochs().agree_below(log_.end(), *stored_epochs_);
}

void Partition::store_epochs(sdk::Task then) {
    std::vector<log::SideFile> files;
    files.push_back(log_.epochs_file());
    write_side_files(std::move(files), std::move(then));
}

// In the order given, for a snapshot makes recovery skip what the leader epochs are rebuilt from.
// One at a time: the files of the next seal have the same names, or make these stale; and an older
// checkpoint of epochs must not come to lie under a newer snapshot.
void Partition::write_side_files(std::vector<log::SideFile> files, sdk::Task then) {
    SideWrite& next = next_side_write_;
    if (files.size() < next.files.size()) {
        next.files.front() = std::move(files.front());  // Newer epochs; the rest still holds.
    } else {
        next.files = std::move(files);
    }
    next.epochs = log_.epochs();
    next.then.push_back(std::move(then));
    if (!writing_side_files_) begin_side_write();
}

void Partition::begin_side_write() {
    writing_side_files_ = true;
    side_write_ = std::exchange(next_side_write_, {});
    work_began();
    runtime::offload(
        shard_,
        [engine = setup_.engine_name, log = engine_log_.get(), files = std::move(side_write_.files),
         begin = log_.begin(), end = log_.end()] {
            return contained(engine, "side files", [&]() -> sdk::Status {
                sdk::SideFiles* side_files = log->side_files();
                return side_files == nullptr ? sdk::Status{}
                                             : store(*side_files, files, begin, end);
            });
        },
        [this](const sdk::Status& status) {
            side_files_written(status);
            work_ended();
        });
}

// Without them a recovery reads more of the log, but no less is known: a full device stops nothing.
void Partition::side_files_written(const sdk::Status& status) {
    writing_side_files_ = false;
    figures_.calls.made(status.has_value());
    auto then = std::move(side_write_.then);
    if (status) {
        if (stored_epochs_) stored_epochs_ = std::move(side_write_.epochs);
    } else if (status.error().code != sdk::Errc::no_space) {
        go_offline("write side files", status.error());
    } else {
        logger_.log(logging::Level::warn, "side files not written: the device is full",
                    {{"topic", setup_.id.topic},
                     {"partition", std::to_string(setup_.id.index)},
                     {"reason", status.error().what}});
    }
    if (state_ == State::open && !next_side_write_.files.empty()) {
        begin_side_write();
    } else {
        for (sdk::Task& task : std::exchange(next_side_write_, {}).then)
            then.push_back(std::move(task));
    }
    for (sdk::Task& task : then) task();
    consider_trim();
}

}  // namespace leat::broker
