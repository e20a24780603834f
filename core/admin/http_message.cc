#include "core/admin/http_message.h"

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/status.hpp>

namespace leat::admin {

namespace http = boost::beast::http;

struct HttpRequestReader::Parser : http::request_parser<http::empty_body> {};

std::string_view query_value(std::string_view query, std::string_view key) {
    while (!query.empty()) {
        const std::size_t end = std::min(query.find('&'), query.size());
        const std::string_view pair = query.substr(0, end);
        if (pair.starts_with(key) && pair.substr(key.size()).starts_with('=')) {
            return pair.substr(key.size() + 1);
        }
        query.remove_prefix(std::min(end + 1, query.size()));
    }
    return {};
}

std::string text_of(const HttpResponse& response, bool head_only) {
    const auto reason = http::obsolete_reason(static_cast<http::status>(response.status));
    std::string text = "HTTP/1.1 " + std::to_string(response.status) + " " + std::string{reason} +
                       "\r\nContent-Type: " + response.content_type +
                       "\r\nContent-Length: " + std::to_string(response.body.size()) +
                       "\r\nCache-Control: no-store\r\nConnection: close\r\n";
    if (!response.allow.empty()) text += "Allow: " + response.allow + "\r\n";
    text += "\r\n";
    if (!head_only) text += response.body;
    return text;
}

HttpRequestReader::HttpRequestReader(std::size_t most_bytes) : parser_{std::make_unique<Parser>()} {
    parser_->header_limit(static_cast<std::uint32_t>(most_bytes));
}

HttpRequestReader::~HttpRequestReader() = default;

HttpRequestReader::State HttpRequestReader::read(std::span<const char> bytes) {
    unread_.append(bytes.data(), bytes.size());
    boost::beast::error_code error;
    const std::size_t taken =
        parser_->put(boost::asio::const_buffer{unread_.data(), unread_.size()}, error);
    unread_.erase(0, taken);
    if (error == http::error::need_more) return State::incomplete;
    if (error == http::error::header_limit) return refuse(431, "the header is too long\n");
    if (error && !parser_->is_header_done()) {
        return refuse(400, "this is no HTTP request: " + error.message() + "\n");
    }
    if (!parser_->is_header_done()) return State::incomplete;
    const auto length = parser_->content_length();
    if (parser_->chunked() || (length && *length != 0)) {
        return refuse(413, "requests have no body here\n");
    }
    request_.method = std::string{parser_->get().method_string()};
    const std::string_view target{parser_->get().target().data(), parser_->get().target().size()};
    const std::size_t mark = std::min(target.find('?'), target.size());
    request_.path = target.substr(0, mark);
    request_.query = target.substr(std::min(mark + 1, target.size()));
    return State::complete;
}

HttpRequestReader::State HttpRequestReader::refuse(int status, std::string why) {
    refusal_ = {.status = status, .body = std::move(why)};
    return State::refused;
}

}  // namespace leat::admin
