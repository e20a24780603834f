// A whole broker inside the test's process: the Assembly of a configuration, on threads of its own,
// on a free port of loopback, over a data folder that goes with it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "core/app/assembly.h"

namespace leat::app {

class BrokerUnderTest {
public:
    // `more` is TOML, appended. The storage instances `disk` and `ram` are there. Unless `more` has
    // [topic_defaults], nothing goes by its age: the records of these tests are years old.
    explicit BrokerUnderTest(const std::string& more = "", std::filesystem::path folder = {})
        : folder_{folder.empty() ? make_folder() : std::move(folder)} {
        const std::string toml = "data_dir = \"" + (folder_ / "data").string() +
                                 "\"\n[[listener]]\nname = \"plain\"\nbind = \"127.0.0.1:0\"\n"
                                 "[plugins]\nsearch_path = [\"" PLUGIN_FOLDER
                                 "\"]\n"
                                 "[storage.disk]\nplugin = \"segment\"\n"
                                 "[storage.ram]\nplugin = \"memory\"\n" +
                                 (more.find("[topic_defaults]") == std::string::npos
                                      ? "[topic_defaults]\nstorage = \"disk\"\n"
                                        "[topic_defaults.config]\n\"retention.ms\" = -1\n"
                                      : "") +
                                 "[internal_topics]\nstorage = \"disk\"\n" + more;
        auto loading = config::load_text(folder_ / "broker.toml", toml);
        EXPECT_TRUE(loading.ok()) << config::text_of(loading.complaints);
        auto logger = logging::open_adjustable_logger({.file = folder_ / "log"});
        broker_ = std::make_unique<Assembly>(std::move(loading.config), std::move(*logger));
        const auto prepared = broker_->prepare();
        EXPECT_TRUE(prepared) << prepared.error().what;
        std::promise<std::uint16_t> port;
        auto listening = port.get_future();
        thread_ = std::thread{[this, &port] {
            ended_ = broker_->run(
                {.serving = [this, &port](const std::vector<Assembly::Listening>& all) {
                    http_port_ = all.back().at.port;
                    port.set_value(all.front().at.port);
                }});
        }};
        port_ = listening.get();
    }
    ~BrokerUnderTest() {
        static_cast<void>(stop());
        if (own_folder_) std::filesystem::remove_all(folder_);
    }

    std::uint16_t port() const { return port_; }
    std::uint16_t http_port() const { return http_port_; }  // Where `more` has [http].
    const std::filesystem::path& folder() const { return folder_; }

    // In order, as SIGTERM does. What run() returned.
    sdk::Status stop() {
        if (thread_.joinable()) {
            broker_->stop("the test ends");
            thread_.join();
            broker_.reset();
        }
        return ended_;
    }
    void keep_folder() { own_folder_ = false; }

private:
    static std::filesystem::path make_folder() {
        std::string name = std::filesystem::temp_directory_path() / "leat_broker_XXXXXX";
        return ::mkdtemp(name.data());
    }

    std::filesystem::path folder_;
    bool own_folder_ = true;
    std::unique_ptr<Assembly> broker_;
    std::thread thread_;
    std::uint16_t port_ = 0;
    std::uint16_t http_port_ = 0;
    sdk::Status ended_;
};

}  // namespace leat::app
