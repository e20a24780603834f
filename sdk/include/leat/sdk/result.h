// What a call returns that can fail: Result<T>, and Status where there is no value. The names are
// those of std::expected, which C++20 lacks. Nothing here throws.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "leat/sdk/ensure.h"

namespace leat::sdk {

enum class Errc {
    invalid_argument,  // The caller asked for something that cannot be: an option, a name, a range.
    not_found,
    already_exists,
    out_of_range,  // An offset outside what is held.
    corrupt,       // Stored bytes are not what was written.
    io,            // The device or the operating system refused. What was being written is unknown.
    no_space,      // The device is full. Nothing of the call was kept.
    unsupported,   // This plugin cannot do it.
    unavailable,   // Not now: try again later.
    conflict,      // Somebody else was faster.
    timed_out,
    closed,
    limit,  // A named limit would be exceeded.
    internal,
};

struct Error {
    Errc code = Errc::internal;
    std::string what;  // One sentence for an operator: what failed, on what, and what to do.
};

template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_{std::in_place_index<0>, std::move(value)} {}      // NOLINT: implicit
    Result(Error error) : state_{std::in_place_index<1>, std::move(error)} {}  // NOLINT: on purpose

    bool has_value() const { return state_.index() == 0; }
    explicit operator bool() const { return has_value(); }

    T& value() & { return checked(), *std::get_if<0>(&state_); }
    const T& value() const& { return checked(), *std::get_if<0>(&state_); }
    T&& value() && { return checked(), std::move(*std::get_if<0>(&state_)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    const Error& error() const {
        ensure(!has_value(), "error() is asked of a failed result");
        return *std::get_if<1>(&state_);
    }

private:
    void checked() const { ensure(has_value(), "value() is asked of a successful result"); }

    std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : error_{std::move(error)}, ok_{false} {}  // NOLINT: implicit on purpose

    bool has_value() const { return ok_; }
    explicit operator bool() const { return ok_; }
    const Error& error() const {
        ensure(!ok_, "error() is asked of a failed result");
        return error_;
    }

private:
    Error error_;
    bool ok_ = true;
};

using Status = Result<void>;

}  // namespace leat::sdk
