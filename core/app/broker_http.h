// Asks a running broker over HTTP: by the socket in its data folder, or at its read-only listener.
// Blocking, for the command line.
#pragma once

#include <filesystem>
#include <string>

#include "leat/sdk/result.h"

namespace leat::app {

// One of them is given.
struct BrokerAddress {
    std::filesystem::path config;  // The broker's, which names its data folder.
    std::filesystem::path socket;
    std::string url;  // "http://127.0.0.1:9644"
};

struct BrokerAnswer {
    bool well = false;  // 2xx
    std::string body;
};

// `request` is method and path: "GET /metrics". Errc::unavailable: nobody is there, or it did not
// answer within 20 s.
sdk::Result<BrokerAnswer> ask_broker(const BrokerAddress& address, const std::string& request);

}  // namespace leat::app
