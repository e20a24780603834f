// Function<R(Args...)>: a callable that is moved, never copied, so that it may own what it needs
// (std::move_only_function is C++23). Small callables live inside it; calling an empty one is a
// bug.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "leat/sdk/ensure.h"

namespace leat::sdk {

template <class Signature>
class Function;

template <class R, class... Args>
class Function<R(Args...)> {
    static constexpr std::size_t inline_bytes = 48;

    struct Operations {
        R (*call)(void*, Args&&...);
        void (*move_to)(void* from, void* to);  // Leaves `from` destroyed.
        void (*destroy)(void*);
    };

    template <class Callable>
    static constexpr bool fits = sizeof(Callable) <= inline_bytes &&
                                 alignof(Callable) <= alignof(std::max_align_t) &&
                                 std::is_nothrow_move_constructible_v<Callable>;

    template <class Callable>
    struct Inline {
        static Callable& self(void* at) { return *std::launder(static_cast<Callable*>(at)); }
        static R call(void* at, Args&&... args) { return self(at)(std::forward<Args>(args)...); }
        static void move_to(void* from, void* to) {
            new (to) Callable(std::move(self(from)));
            self(from).~Callable();
        }
        static void destroy(void* at) { self(at).~Callable(); }
        static constexpr Operations operations{&call, &move_to, &destroy};
    };

    template <class Callable>
    struct OnHeap {
        static Callable*& self(void* at) { return *std::launder(static_cast<Callable**>(at)); }
        static R call(void* at, Args&&... args) { return (*self(at))(std::forward<Args>(args)...); }
        static void move_to(void* from, void* to) { new (to) Callable*(self(from)); }
        static void destroy(void* at) { delete self(at); }
        static constexpr Operations operations{&call, &move_to, &destroy};
    };

public:
    Function() = default;
    Function(std::nullptr_t) {}  // NOLINT: as std::function

    template <class Callable>
        requires(!std::is_same_v<std::decay_t<Callable>, Function> &&
                 std::is_invocable_r_v<R, std::decay_t<Callable>&, Args...>)
    Function(Callable&& callable) {  // NOLINT: as std::function
        using Stored = std::decay_t<Callable>;
        if constexpr (fits<Stored>) {
            new (storage_) Stored(std::forward<Callable>(callable));
            operations_ = &Inline<Stored>::operations;
        } else {
            new (storage_) Stored*(new Stored(std::forward<Callable>(callable)));
            operations_ = &OnHeap<Stored>::operations;
        }
    }

    Function(Function&& other) noexcept { take(other); }
    Function& operator=(Function&& other) noexcept {
        if (this != &other) {
            reset();
            take(other);
        }
        return *this;
    }
    ~Function() { reset(); }

    explicit operator bool() const { return operations_ != nullptr; }

    R operator()(Args... args) {
        ensure(operations_ != nullptr, "a function that is called is set");
        return operations_->call(storage_, std::forward<Args>(args)...);
    }

private:
    void reset() {
        if (operations_ != nullptr) std::exchange(operations_, nullptr)->destroy(storage_);
    }
    void take(Function& other) {
        if (other.operations_ == nullptr) return;
        operations_ = std::exchange(other.operations_, nullptr);
        operations_->move_to(other.storage_, storage_);
    }

    alignas(std::max_align_t) std::byte storage_[inline_bytes];
    const Operations* operations_ = nullptr;
};

using Task = Function<void()>;

}  // namespace leat::sdk
