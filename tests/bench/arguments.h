// `--name value` pairs of a measuring tool's command line.
#pragma once

#include <cstdlib>
#include <map>
#include <string>

namespace leat::bench {

class Arguments {
public:
    Arguments(int count, char** words) {
        for (int i = 1; i + 1 < count; i += 2) given_[words[i]] = words[i + 1];
    }
    std::string text(const std::string& name, const std::string& otherwise) const {
        const auto found = given_.find("--" + name);
        return found == given_.end() ? otherwise : found->second;
    }
    int number(const std::string& name, int otherwise) const {
        return std::atoi(text(name, std::to_string(otherwise)).c_str());
    }
    double real(const std::string& name, double otherwise) const {
        return std::atof(text(name, std::to_string(otherwise)).c_str());
    }

private:
    std::map<std::string, std::string> given_;
};

}  // namespace leat::bench
