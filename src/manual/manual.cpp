#include "manual/manual.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>

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
    for (const Guide& guide : site.guides())
        out.emplace_back([&](const AllTools&) { return one(guide_page(site, guide)); });
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

// Takes a page, one at a time. False where more is in vain.
using PageSink = std::function<bool(Page&& page)>;

// Several threads take one task after the other.
class Work {
public:
    Work(const Site& site, const std::vector<Task>& tasks, const PageSink& sink)
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
                for (Page& page : tasks_[task](tools)) put(std::move(page));
            }
        } catch (...) {
            failure_.note_current();
            good_ = false;
        }
    }

    void put(Page&& page) {
        const std::scoped_lock lock(mutex_);
        if (good_ && !sink_(std::move(page))) good_ = false;
    }

    const Site& site_;
    const std::vector<Task>& tasks_;
    const PageSink& sink_;
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
    const PageSink whole = [&](Page&& page) { return sink(page.path, whole_page(site, page)); };
    if (!Work(site, tasks_of(site, findings), whole).run()) return false;
    if (!sink("search.js", search_script(site))) return false;
    for (const EmbeddedAsset* asset = embedded_assets; !asset->path.empty(); ++asset) {
        const std::string before = asset->path == "manual.js" ? site_script(site) : "";
        if (!sink(std::string(asset->path), before + std::string(asset->text))) return false;
    }
    return true;
}

std::string manual_as_page(const Configuration& configuration, const SourceManager& sources,
                           const Diagnostics& findings) {
    const std::vector<Configuration> configurations{configuration};
    Site site(configurations, sources);
    site.has_findings = !findings.all().empty();
    std::map<std::string, Page> pages;
    const PageSink keep = [&](Page&& page) { return pages.emplace(page.path, std::move(page)).second; };
    Work(site, tasks_of(site, findings), keep).run();
    std::vector<Page> order;
    std::vector<std::string> chapters{"index.html", "findings.html"};
    for (const Guide& guide : site.guides()) chapters.push_back(guide.path);
    for (const char* const chapter :
         {"registers.html", "machine.html", "operands.html", "formats.html", "map.html", "functions.html"})
        chapters.emplace_back(chapter);
    for (const std::string& chapter : chapters) {
        if (auto page = pages.extract(chapter)) order.push_back(std::move(page.mapped()));
    }
    for (const char* const last : {"effects.html", "opcodes.html"}) {
        auto page = pages.extract(last);
        for (auto at = pages.begin(); at != pages.end();) {
            const bool instruction = at->first.starts_with("instructions/");
            if (instruction) order.push_back(std::move(at->second));
            at = instruction ? pages.erase(at) : std::next(at);
        }
        order.push_back(std::move(page.mapped()));
    }
    return one_page(site, order);
}

}  // namespace isaforge::manual
