// What was found in meanings, for variants and dialects of one description that are checked one after the other or at once.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "isaforge/diagnostics.hpp"
#include "isaforge/isa.hpp"

namespace isaforge::semantics {

// Of an instruction in one of its forms.
struct Finding {
    Diagnostics messages;
    std::optional<double> looked;  // the part of its operands' values that was looked at, where that is not all
    bool ready = false;
};

}  // namespace isaforge::semantics

namespace isaforge {

// By signatures: what has the same one is the same.
class MeaningsChecked::Findings {
public:
    // Given to all who ask; the first one has to look, and then to publish it.
    semantics::Finding& claim(const std::string& signature, bool& is_first) {
        const std::scoped_lock lock(mutex_);
        const auto [place, is_new] = list_.try_emplace(signature);
        is_first = is_new;
        return place->second;
    }
    void publish(semantics::Finding& finding) {
        const std::scoped_lock lock(mutex_);
        finding.ready = true;
        changed_.notify_all();
    }
    void wait(const semantics::Finding& finding) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return finding.ready; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, semantics::Finding> list_;
};

}  // namespace isaforge
