// leat doctor: what works with a broker, Leat or any other.

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "core/app/client_commands/broker_option.h"
#include "core/app/client_commands/client_commands.h"
#include "core/client/examination.h"
#include "core/client/topics.h"

namespace leat::app {
namespace {

using client::Examination;
using client::Verdict;
using json = nlohmann::ordered_json;

struct DoctorOptions {
    BrokerOption broker;
    std::string address;
    bool json = false;
    bool quiet = false;
};

// Two of these at a time do not meet.
std::string topic_name() {
    std::random_device random;
    std::array<char, 17> digits{};
    std::snprintf(digits.data(), digits.size(), "%08x%08x", random(), random());
    return std::string{"leat-doctor-"} + digits.data();
}

void print_json(const Examination& found) {
    json apis = json::array();
    for (const auto& api : found.apis) {
        apis.push_back(
            {{"key", api.key}, {"name", api.name}, {"min", api.oldest}, {"max", api.newest}});
    }
    json findings = json::array();
    for (const auto& each : found.findings) {
        findings.push_back({{"area", each.area},
                            {"what", each.what},
                            {"verdict", client::name_of(each.verdict)},
                            {"essential", each.essential},
                            {"detail", each.detail}});
    }
    const json all{{"cluster", found.cluster_id},
                   {"brokers", found.brokers},
                   {"essential_works", found.essential_works()},
                   {"findings", findings},
                   {"apis", apis}};
    std::printf("%s\n", all.dump(2, ' ', false, json::error_handler_t::replace).c_str());
}

void print_text(const Examination& found) {
    std::printf("cluster %s, %zu broker%s\n", found.cluster_id.c_str(), found.brokers,
                found.brokers == 1 ? "" : "s");
    std::string area;
    for (const auto& each : found.findings) {
        if (each.area != area) std::printf("\n%s\n", each.area.c_str());
        area = each.area;
        const bool bad = each.essential && each.verdict != Verdict::works;
        std::string line = "  " + each.what;
        line.resize(std::max<std::size_t>(line.size() + 1, 36), ' ');
        line += client::name_of(each.verdict);
        if (!each.detail.empty()) line += ": " + each.detail;
        std::printf("%s%s\n", line.c_str(), bad ? "  <- essential" : "");
    }
    std::printf("\nserved\n");
    for (const auto& api : found.apis) {
        std::printf("  %3d  %-33s %d to %d\n", api.key, api.name.c_str(), api.oldest, api.newest);
    }
    std::printf("\n%s\n", found.essential_works() ? "Everything essential works."
                                                  : "Something essential does not work.");
}

// Also after ctrl-C, which ends every wait of the examination's own watch: hence another one.
sdk::Status remove_topic(const BrokerOption& broker, const std::string& topic) {
    client::Watch watch;
    auto cluster = broker.cluster(watch);
    if (!cluster) return cluster.error();
    bool missing = false;
    const auto status = client::delete_topic(*cluster, topic, missing);
    return missing ? sdk::Status{} : status;
}

sdk::Result<int> examine(client::Cluster& cluster, const DoctorOptions& options) {
    const std::string topic = topic_name();
    const bool told = !options.quiet && ::isatty(STDERR_FILENO) == 1;
    const auto found = client::examine(cluster, topic, [told](std::string_view area) {
        if (told)
            std::fprintf(stderr, "\r\x1b[K%.*s...", static_cast<int>(area.size()), area.data());
    });
    if (told) std::fputs("\r\x1b[K", stderr);
    const bool reached = found || cluster.reached();
    const auto removed = reached ? remove_topic(options.broker, topic) : sdk::Status{};
    if (!removed) {
        say({.what = "topic " + topic + " could not be removed: " + removed.error().what});
    }
    if (!found) return found.error();
    options.json ? print_json(*found) : print_text(*found);
    return found->essential_works() && removed ? 0 : 1;
}

}  // namespace

void add_doctor_command(CommandLine& line) {
    const auto options = std::make_shared<DoctorOptions>();
    CLI::App& added = line.command(
        "doctor",
        "Try what works with a broker, this or another; a topic is made and removed.\n"
        "  leat doctor broker-1:9092\n"
        "  leat doctor broker-1:9092 --json | jq .essential_works",
        [options] {
            if (!options->address.empty()) options->broker.brokers = options->address;
            return over_the_wire(options->broker,
                                 [&options](client::Cluster& at) { return examine(at, *options); });
        });
    options->broker.add_to(added);
    added.add_option("HOST:PORT", options->address, "In the place of --broker");
    added.add_flag("--json", options->json, "For programs");
    added.add_flag("-q,--quiet", options->quiet, "No progress on a terminal");
}

}  // namespace leat::app
