// The real `leat` as a child process: what it prints, when it says something, how it ends. Waits
// for pipes with a deadline on everything, so that a program that hangs fails a test.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace leat::app {

class Child {
public:
    static constexpr auto deadline = std::chrono::seconds{60};

    // Descriptors that it gets in the place of those that it would have; borrowed.
    struct Streams {
        int in = -1;   // Else the test's own.
        int err = -1;  // Then err() stays empty.
    };
    // `settings` are environment variables, "NAME=value", beside the test's own.
    explicit Child(const std::vector<std::string>& arguments,
                   const std::vector<std::string>& settings = {}, Streams streams = {-1, -1}) {
        int out[2], err[2];
        EXPECT_EQ(::pipe2(out, O_CLOEXEC), 0);
        EXPECT_EQ(::pipe2(err, O_CLOEXEC), 0);
        posix_spawn_file_actions_t actions;
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
        ::posix_spawn_file_actions_adddup2(&actions, streams.err < 0 ? err[1] : streams.err,
                                           STDERR_FILENO);
        if (streams.in >= 0) {
            ::posix_spawn_file_actions_adddup2(&actions, streams.in, STDIN_FILENO);
        }
        std::vector<char*> argv{const_cast<char*>(LEAT_PROGRAM)};
        for (const auto& each : arguments) argv.push_back(const_cast<char*>(each.c_str()));
        argv.push_back(nullptr);
        std::vector<char*> variables;
        for (const auto& each : settings) variables.push_back(const_cast<char*>(each.c_str()));
        for (char** each = environ; *each != nullptr; ++each) variables.push_back(*each);
        variables.push_back(nullptr);
        EXPECT_EQ(::posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), variables.data()),
                  0);
        ::posix_spawn_file_actions_destroy(&actions);
        ::close(out[1]);
        ::close(err[1]);
        pipes_[0] = {.fd = out[0], .events = POLLIN, .revents = 0};
        pipes_[1] = {.fd = err[0], .events = POLLIN, .revents = 0};
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        if (pid_ > 0) signal(SIGKILL);
        static_cast<void>(wait());
    }

    void signal(int number) const { ::kill(pid_, number); }
    pid_t pid() const { return pid_; }  // -1 once it has ended.
    const std::string& out() const { return text_[0]; }
    const std::string& err() const { return text_[1]; }

    // Reads until it has said `what`, on either output; false if it ended or took too long.
    bool says(std::string_view what) {
        return read_until([&] {
            return out().find(what) != std::string::npos || err().find(what) != std::string::npos;
        });
    }

    // Reads to the end. The exit code, or 128 and the signal.
    int wait() {
        if (pid_ <= 0) return code_;
        if (!read_until([&] { return ended(); })) signal(SIGKILL);
        for (auto& pipe : pipes_) {
            if (pipe.fd >= 0) ::close(std::exchange(pipe.fd, -1));
        }
        int status = 0;
        ::waitpid(std::exchange(pid_, -1), &status, 0);
        code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        return code_;
    }

    // The port that a broker listens at, once it is ready. 0 if it never was.
    std::uint16_t port() {
        if (!says("\nready\n")) return 0;
        constexpr std::string_view before = "127.0.0.1:";
        const std::string_view text = out();
        const auto at = text.find(before);
        std::uint16_t port = 0;
        if (at != text.npos) {
            const char* digits = text.data() + at + before.size();
            std::from_chars(digits, text.data() + text.size(), port);
        }
        return port;
    }

private:
    bool ended() const { return pipes_[0].fd < 0 && pipes_[1].fd < 0; }

    template <class Condition>
    bool read_until(Condition condition) {
        const auto end = std::chrono::steady_clock::now() + deadline;
        while (!condition()) {
            const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
                end - std::chrono::steady_clock::now());
            if (ended()) return false;
            if (left.count() <= 0 ||
                ::poll(pipes_.data(), pipes_.size(), static_cast<int>(left.count())) <= 0) {
                ADD_FAILURE() << "leat did not say or end in time; it said:\n" << out() << err();
                return false;
            }
            for (std::size_t i = 0; i < 2; ++i) read_some(i);
        }
        return true;
    }

    void read_some(std::size_t i) {
        if (pipes_[i].fd < 0 || pipes_[i].revents == 0) return;
        char bytes[65536];
        const auto size = ::read(pipes_[i].fd, bytes, sizeof bytes);
        if (size > 0) {
            text_[i].append(bytes, static_cast<std::size_t>(size));
        } else {
            ::close(std::exchange(pipes_[i].fd, -1));
        }
    }

    pid_t pid_ = -1;
    std::array<pollfd, 2> pipes_{};
    std::string text_[2];
    int code_ = -1;
};

// A command that ends by itself.
struct Ended {
    int code;
    std::string out;
    std::string err;
};
inline Ended run(const std::vector<std::string>& arguments) {
    Child child{arguments};
    const int code = child.wait();
    return {code, child.out(), child.err()};
}

// A folder for a test's configurations and data; goes with it.
class Folder {
public:
    Folder() {
        std::string name = std::filesystem::temp_directory_path() / "leat_process_XXXXXX";
        path_ = ::mkdtemp(name.data());
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { std::filesystem::remove_all(path_); }

    std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

    // Its path.
    std::string write(std::string_view name, std::string_view text) const {
        std::ofstream{path_ / name} << text;
        return path_ / name;
    }
    // One broker, on a free port of loopback, data in `data`; `more` is TOML, appended.
    std::string config(std::string_view more = "", std::string_view name = "broker.toml") const {
        return write(
            name, "[[listener]]\nname = \"plain\"\nbind = \"127.0.0.1:0\"\n" + std::string{more});
    }

private:
    std::filesystem::path path_;
};

// How often `what` is in `text`.
inline std::size_t count(std::string_view text, std::string_view what) {
    std::size_t found = 0;
    for (auto at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) {
        ++found;
    }
    return found;
}

}  // namespace leat::app
