// Calls into a plugin: an exception out of it becomes an Error that names the instance, so that one
// partition goes offline and not the broker. A fault in native code is not contained.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/metrics/plugin_calls.h"
#include "leat/sdk/function.h"
#include "leat/sdk/result.h"

namespace leat::broker {

inline sdk::Error thrown(std::string_view instance, std::string_view call, const char* what) {
    return {sdk::Errc::internal, "plugin instance \"" + std::string{instance} + "\" threw out of " +
                                     std::string{call} + ": " + what};
}

// `call` returns a Result; so does this.
template <class Call>
auto contained(std::string_view instance, std::string_view name, Call&& call)
    -> std::invoke_result_t<Call> {
    try {
        return std::forward<Call>(call)();
    } catch (const std::exception& exception) {
        return thrown(instance, name, exception.what());
    } catch (...) {
        return thrown(instance, name, "something that is no std::exception");
    }
}

// [shard] As contained(), and counted.
template <class Call>
auto counted(metrics::PluginCalls& calls, std::string_view instance, std::string_view name,
             Call&& call) -> std::invoke_result_t<Call> {
    auto result = contained(instance, name, std::forward<Call>(call));
    calls.made(result.has_value());
    return result;
}

// [worker] What a read said is not resident.
inline sdk::Status brought_in(std::string_view instance, sdk::Task& bring_in) {
    return contained(instance, "read", [&]() -> sdk::Status {
        bring_in();
        return {};
    });
}

}  // namespace leat::broker
