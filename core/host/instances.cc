#include "core/host/instances.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <map>
#include <system_error>

#include "core/config/nearest.h"
#include "core/config/values.h"
#include "leat/sdk/ensure.h"

namespace leat::host {

namespace {

// 0700: what a plugin keeps is nobody else's.
sdk::Status make_folder(const std::filesystem::path& folder) {
    if (folder.empty()) return {};
    std::error_code error;
    std::filesystem::create_directories(folder.parent_path(), error);
    if (!error && ::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
        error = {errno, std::generic_category()};
    if (!error && !std::filesystem::is_directory(folder, error) && !error)
        error = std::make_error_code(std::errc::not_a_directory);
    if (!error) return {};
    return sdk::Error{sdk::Errc::io,
                      "cannot make its data folder " + folder.string() + ": " + error.message()};
}

std::string list_of(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text.empty() ? "none" : text;
}

// A factory is foreign code.
template <class Interface>
sdk::Result<std::unique_ptr<Interface>> call(const sdk::Factory<Interface>& make,
                                             sdk::PluginContext& context,
                                             const sdk::Settings& settings) {
    try {
        auto made = make(context, settings);
        if (made && *made == nullptr)
            return sdk::Error{sdk::Errc::internal, "its factory returned nothing"};
        return made;
    } catch (const std::exception& error) {
        return sdk::Error{sdk::Errc::internal, "its factory threw: " + std::string{error.what()}};
    } catch (...) {
        return sdk::Error{sdk::Errc::internal, "its factory threw"};
    }
}

}  // namespace

template <class Found>
std::optional<sdk::Settings> InstanceMaker::check(const config::InstanceConfig& instance,
                                                  std::string_view kind, const Found& found) {
    const auto enrolled = found.find(instance.plugin);
    if (enrolled != found.end())
        return check_options(instance, enrolled->second.declaration.options);
    std::vector<std::string> names;
    for (const auto& [name, each] : found) names.push_back(name);
    std::string reason = "there is no " + std::string{kind} + " plugin `" + instance.plugin + "`" +
                         config::did_you_mean(instance.plugin, names) +
                         " (found: " + list_of(names);
    for (const Refusal& refusal : host_.refusals())
        reason += "; refused: " + refusal.file + ": " + refusal.reason;
    complaints_.push_back(source_.complaint(instance.plugin_place, reason + ")"));
    return std::nullopt;
}

std::optional<sdk::Settings> InstanceMaker::check_options(const config::InstanceConfig& instance,
                                                          const std::vector<sdk::Option>& options) {
    const std::size_t complaints_before = complaints_.size();
    std::map<std::string, sdk::OptionValue, std::less<>> values;
    std::vector<std::string> names{"plugin"};
    for (const sdk::Option& option : options) {
        values[option.name] = option.fallback;
        names.push_back(option.name);
    }
    for (const config::Entry& entry : instance.options) {
        const auto declared =
            std::find_if(options.begin(), options.end(),
                         [&](const sdk::Option& option) { return option.name == entry.key; });
        if (declared == options.end()) {
            complaints_.push_back(source_.complaint(
                entry.key_place, "plugin `" + instance.plugin + "` has no option `" + entry.key +
                                     "`" + config::did_you_mean(entry.key, names)));
        } else if (auto reason = config::read(entry.value, *declared, values[entry.key])) {
            complaints_.push_back(source_.complaint(entry.value.place, std::move(*reason)));
        }
    }
    if (complaints_.size() != complaints_before) return std::nullopt;
    return sdk::Settings{std::move(values)};
}

template <class Interface, class Found>
sdk::Result<Instance<Interface>> InstanceMaker::make(const config::InstanceConfig& instance,
                                                     const sdk::Settings& settings, Loan loan,
                                                     const Found& found) {
    const auto enrolled = found.find(instance.plugin);
    sdk::ensure(enrolled != found.end(), "an instance is made after its check");
    const auto& [declaration, origin] = enrolled->second;
    const auto failed = [&](const sdk::Error& error) {
        return sdk::Error{error.code, instance.table + " (plugin " + declaration.name + " " +
                                          origin.version + ", " + origin.file +
                                          ") cannot start: " + source_.without_hidden(error.what)};
    };
    if (auto folder = make_folder(loan.data_folder); !folder) return failed(folder.error());
    auto context = std::make_unique<InstanceContext>(instance.name, std::move(loan), host_.logger(),
                                                     host_.counters());
    auto object = call<Interface>(declaration.make, *context, settings);
    if (!object) return failed(object.error());
    return Instance<Interface>{instance.name, std::move(context), std::move(*object)};
}

std::optional<sdk::Settings> InstanceMaker::check_storage(const config::InstanceConfig& instance) {
    return check(instance, "storage", host_.storage());
}
std::optional<sdk::Settings> InstanceMaker::check_coordination(
    const config::InstanceConfig& instance) {
    return check(instance, "coordination", host_.coordination());
}
std::optional<sdk::Settings> InstanceMaker::check_replication(
    const config::InstanceConfig& instance) {
    return check(instance, "replication", host_.replication());
}
std::optional<sdk::Settings> InstanceMaker::check_assignment(
    const config::InstanceConfig& instance) {
    return check(instance, "assignment", host_.assignment());
}

sdk::Result<Instance<sdk::StorageEngine>> InstanceMaker::make_storage(
    const config::InstanceConfig& instance, const sdk::Settings& settings, Loan loan) {
    return make<sdk::StorageEngine>(instance, settings, std::move(loan), host_.storage());
}
sdk::Result<Instance<sdk::CoordinationBackend>> InstanceMaker::make_coordination(
    const config::InstanceConfig& instance, const sdk::Settings& settings, Loan loan) {
    return make<sdk::CoordinationBackend>(instance, settings, std::move(loan),
                                          host_.coordination());
}
sdk::Result<Instance<sdk::ReplicationPolicy>> InstanceMaker::make_replication(
    const config::InstanceConfig& instance, const sdk::Settings& settings, Loan loan) {
    return make<sdk::ReplicationPolicy>(instance, settings, std::move(loan), host_.replication());
}
sdk::Result<Instance<sdk::GroupAssignor>> InstanceMaker::make_assignment(
    const config::InstanceConfig& instance, const sdk::Settings& settings, Loan loan) {
    return make<sdk::GroupAssignor>(instance, settings, std::move(loan), host_.assignment());
}

}  // namespace leat::host
