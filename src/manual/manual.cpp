#include "manual/manual.hpp"

#include <algorithm>
#include <atomic>

#include "manual/assets.hpp"
#include "manual/pages.hpp"
#include "support/threads.hpp"

namespace isaforge::manual {

namespace {

using Task = std::function<std::vector<Page>(const AllTools&)>;

std::vector<Page> one(Page page) {
    std::vector<Page> out;
    out.push_back(std::move(page));
    return out;
}

constexpr std::size_t topics_at_once = 32;

// What there is to write, the longest tasks first.
std::vector<Task> tasks_of(const Site& site, const Diagnostics& findings) {
    std::vector<Task> out;
    for (const auto& edition : site.editions()) {
        if (site.map_of(*edition) == map_path(edition->number))
            out.emplace_back([&site, &own = *edition](const AllTools&) { return one(map_page(site, own)); });
    }
    out.emplace_back([&](const AllTools& tools) { return one(formats_page(site, tools)); });
    out.emplace_back([&](const AllTools& tools) { return index_pages(site, tools); });
    for (const auto make : {overview_page, registers_page, machine_page, operands_page, functions_page})
        out.emplace_back([&site, make](const AllTools&) { return one(make(site)); });
    if (site.has_findings) out.emplace_back([&](const AllTools&) { return one(findings_page(site, findings)); });
    const std::vector<Topic>& topics = site.topics();
    for (std::size_t begin = 0; begin < topics.size(); begin += topics_at_once) {
        out.emplace_back([&, begin](const AllTools& tools) {
            std::vector<Page> pages;
            for (std::size_t i = begin; i < std::min(begin + topics_at_once, topics.size()); ++i)
                pages.push_back(instruction_page(site, topics[i], tools));
            return pages;
        });
    }
    return out;
}

// Several threads take one task after the other; the sink is called by one of them at a time.
class Work {
public:
    Work(const Site& site, const std::vector<Task>& tasks, const Sink& sink)
        : site_(site), tasks_(tasks), sink_(sink) {}

    bool run() {
        {
            std::vector<std::jthread> helpers;
            for (unsigned i = 1; i < thread_count(0); ++i) {
                if (!start_thread(helpers, [this] { take(); })) break;
            }
            take();
        }
        failure_.rethrow();
        return good_;
    }

private:
    void take() {
        try {
            AllTools tools;
            for (const auto& edition : site_.editions()) tools.push_back(std::make_unique<Tools>(*edition));
            for (std::size_t task = next_++; task < tasks_.size() && good_; task = next_++) {
                for (const Page& page : tasks_[task](tools)) put(page);
            }
        } catch (...) {
            failure_.note_current();
            good_ = false;
        }
    }

    void put(const Page& page) {
        const std::string text = whole_page(site_, page);
        const std::scoped_lock lock(mutex_);
        if (good_ && !sink_(page.path, text)) good_ = false;
    }

    const Site& site_;
    const std::vector<Task>& tasks_;
    const Sink& sink_;
    std::mutex mutex_;
    FirstFailure failure_;
    std::atomic<std::size_t> next_ = 0;
    std::atomic<bool> good_ = true;
};

}  // namespace

bool write_manual(const std::vector<Configuration>& configurations, const SourceManager& sources,
                  const Diagnostics& findings, const Sink& sink) {
    Site site(configurations, sources);
    site.has_findings = !findings.all().empty();
    if (!Work(site, tasks_of(site, findings), sink).run()) return false;
    if (!sink("search.js", search_script(site))) return false;
    for (const EmbeddedAsset* asset = embedded_assets; !asset->path.empty(); ++asset) {
        const std::string before = asset->path == "manual.js" ? site_script(site) : "";
        if (!sink(std::string(asset->path), before + std::string(asset->text))) return false;
    }
    return true;
}

}  // namespace isaforge::manual
