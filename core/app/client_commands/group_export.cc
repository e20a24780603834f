#include "core/app/client_commands/group_export.h"

#include <cstdio>
#include <memory>
#include <string>

#include "core/app/client_commands/broker_option.h"
#include "core/app/client_commands/group_snapshot.h"

namespace leat::app {
namespace {

struct ExportOptions {
    BrokerOption broker;
    std::string group;
};

}  // namespace

void add_group_export(CommandLine& line, CLI::App& group) {
    const auto options = std::make_shared<ExportOptions>();
    CLI::App& command = line.command(
        group, "export",
        "Write a snapshot of a group as JSON: members, what they have, topics, lag.\n"
        "  leat group export shop > shop.json\n"
        "  leat assign simulate --snapshot shop.json --assignor sticky --add-members 1",
        [options] {
            return over_the_wire(options->broker,
                                 [options](client::Cluster& cluster) -> sdk::Result<int> {
                                     const auto snapshot = take_snapshot(cluster, options->group);
                                     if (!snapshot) return snapshot.error();
                                     std::fputs(to_json(*snapshot).c_str(), stdout);
                                     return 0;
                                 });
        });
    options->broker.add_to(command);
    command.add_option("GROUP", options->group, "Its id")->required();
}

}  // namespace leat::app
